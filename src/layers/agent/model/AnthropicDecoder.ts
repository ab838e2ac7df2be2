/**
 * Decodes a stream of the Messages API.
 *
 * Blocks are kept by index, so that fragments of parallel calls never mix. They are collected unchanged, including
 * signatures, for the turn's verbatim. Events and deltas of unknown kinds are ignored. Source: the SDK's
 * `RawMessageStreamEvent`.
 */

import { Schema } from "effect"
import type { EndReason } from "../../../domain/agent/ModelTurn.ts"
import { fieldsOf } from "../../../domain/system/fieldsOf.ts"
import type { JsonObject } from "../../../domain/system/jsonObject.ts"
import { MaybeNumber, MaybeText, nullish } from "../nullish.ts"
import { streamFault } from "./modelFault.ts"
import {
  type Call,
  cacheWritten,
  isSet,
  isText,
  jsonOf,
  notStreamed,
  objectOf,
  type TurnContext,
  TurnDecoder,
  textIn,
  type WireEvent
} from "./TurnDecoder.ts"

interface Block {
  readonly began: JsonObject
  readonly type: string
  /** For `tool_use`. */
  readonly call: Call | null
  /** Text, thinking, or the input of a provider's tool, as far as it was read. */
  text: string
  signature: string
  isStopped: boolean
}

const Usage = Schema.Struct({
  ...fieldsOf(MaybeNumber, ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"]),
  output_tokens_details: nullish(Schema.Struct({ thinking_tokens: MaybeNumber }))
})
type Usage = typeof Usage.Type

const MessageStart = Schema.Struct({
  message: Schema.Struct({ id: MaybeText, model: MaybeText, usage: nullish(Usage) })
})
const BlockStart = Schema.Struct({ index: Schema.Int, content_block: Schema.Record(Schema.String, Schema.Json) })
const BlockDelta = Schema.Struct({
  index: Schema.Int,
  delta: Schema.Struct({
    type: Schema.String,
    ...fieldsOf(MaybeText, ["text", "thinking", "signature", "partial_json"])
  })
})
const BlockStop = Schema.Struct({ index: Schema.Int })
const MessageDelta = Schema.Struct({ delta: Schema.Struct({ stop_reason: MaybeText }), usage: nullish(Usage) })

const asMessageStart = Schema.decodeUnknownOption(MessageStart)
const asBlockStart = Schema.decodeUnknownOption(BlockStart)
const asBlockDelta = Schema.decodeUnknownOption(BlockDelta)
const asBlockStop = Schema.decodeUnknownOption(BlockStop)
const asMessageDelta = Schema.decodeUnknownOption(MessageDelta)

const kinds = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "error"
])

export class AnthropicDecoder extends TurnDecoder {
  readonly #blocks = new Map<number, Block>()
  /** Counts are cumulative; one that is not sent again stays. */
  #usage: Usage = {}
  #stopReason: string | null = null
  readonly #prefix: string | null

  /** `prefix`: the hash of what the turn was produced for, kept with its blocks. */
  constructor(context: TurnContext, prefix: string | null = null) {
    super(context)
    this.#prefix = prefix
  }

  read({ data: text, name }: WireEvent) {
    // A ping, or an event of a later version.
    if (name !== "message" && !kinds.has(name)) return
    const data = objectOf(text)
    // An error that is not JSON is still an error.
    if (name === "error" || data?.type === "error") this.fault = streamFault(data ?? text)
    else if (data === undefined) this.fail("malformed", "an event is not JSON")
    else this.#readData(data)
  }

  #readData(data: JsonObject) {
    switch (data.type) {
      case "message_start":
        return this.decode(asMessageStart, data, (start) => this.#beginMessage(start))
      case "content_block_start":
        return this.decode(asBlockStart, data, (start) => this.#beginBlock(start))
      case "content_block_delta":
        return this.decode(asBlockDelta, data, (delta) => this.#extendBlock(delta))
      case "content_block_stop":
        return this.decode(asBlockStop, data, ({ index }) => this.#endBlock(index))
      case "message_delta":
        return this.decode(asMessageDelta, data, (delta) => this.#takeReason(delta))
      case "message_stop":
        return this.#endMessage()
      case "message":
        return this.fail("malformed", notStreamed)
    }
  }

  #beginMessage({ message }: typeof MessageStart.Type) {
    if (this.hasBegun) return this.fail("malformed", "a second message began inside the first")
    this.begin("msg", message.id, message.model)
    this.#count(message.usage)
  }

  #beginBlock({ index, content_block: began }: typeof BlockStart.Type) {
    if (!this.hasBegun || this.#stopReason !== null || this.#blocks.has(index)) {
      return this.fail("malformed", "a content block began at the wrong place")
    }
    const type = textIn(began, "type")
    const name = textIn(began, "name")
    const isCall = type === "tool_use"
    if (isCall && name === "") return this.fail("malformed", "a call without a name")
    this.releaseCall(true)
    const call = isCall ? this.beginCall(textIn(began, "id"), index, name) : null
    const text = type === "text" ? textIn(began, "text") : type === "thinking" ? textIn(began, "thinking") : ""
    if (text !== "") this.emit({ _tag: type === "text" ? "Text" : "Thinking", text })
    this.#blocks.set(index, { began, type, call, text, signature: textIn(began, "signature"), isStopped: false })
  }

  #openBlock(index: number): Block | undefined {
    const block = this.#blocks.get(index)
    return block?.isStopped === false && this.#stopReason === null ? block : undefined
  }

  #extendBlock({ delta, index }: typeof BlockDelta.Type) {
    const block = this.#openBlock(index)
    if (block === undefined) return this.fail("malformed", "a part of a content block that is not open")
    switch (delta.type) {
      case "signature_delta":
        block.signature = delta.signature ?? ""
        return
      case "text_delta":
        if (isText(delta.text)) this.emit({ _tag: "Text", text: delta.text })
        return extend(block, delta.text)
      case "thinking_delta":
        if (isText(delta.thinking)) this.emit({ _tag: "Thinking", text: delta.thinking })
        return extend(block, delta.thinking)
      case "input_json_delta":
        if (block.call !== null) return this.extendCall(block.call, delta.partial_json ?? "")
        return extend(block, delta.partial_json)
    }
  }

  #endBlock(index: number) {
    const block = this.#openBlock(index)
    if (block === undefined) return this.fail("malformed", "a content block ended that is not open")
    block.isStopped = true
    if (block.type === "thinking" || block.type === "redacted_thinking") this.emit({ _tag: "ThinkingEnded" })
    if (block.call === null) return
    // A server may have two calls open at once.
    this.releaseCall(true)
    // Arguments without a fragment are those of the block's beginning, or none.
    if (block.call.text === "") this.extendCall(block.call, JSON.stringify(block.began.input ?? {}))
    this.holdCall(block.call)
  }

  #takeReason({ delta, usage }: typeof MessageDelta.Type) {
    if (!this.hasBegun) return this.fail("malformed", "a message ended that did not begin")
    // A second reason only updates the usage.
    if (isSet(delta.stop_reason) && this.#stopReason === null) this.endCalls(endsWhole.has(delta.stop_reason))
    this.#stopReason = delta.stop_reason ?? this.#stopReason
    this.#count(usage)
  }

  #endMessage() {
    if (!this.hasBegun || this.#stopReason === null) {
      return this.fail("malformed", "the message ended without a reason")
    }
    const blocks = [...this.#blocks.values()].flatMap(verbatimOf)
    const verbatim = { anthropic: blocks, ...(this.#prefix === null ? {} : { prefix: this.#prefix }) }
    this.end(reasons[this.#stopReason], this.#stopReason, verbatim)
  }

  #count(usage: Usage | null | undefined) {
    const counts = Object.entries(usage ?? {}).filter(([, count]) => isSet(count))
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts) }
    this.used(usageOf(this.#usage))
  }
}

const extend = (block: Block, text: string | null | undefined) => {
  block.text += text ?? ""
}

/** Reasons after which the last call of a turn is complete. */
const endsWhole = new Set(["end_turn", "tool_use", "stop_sequence", "pause_turn"])

const reasons: { readonly [reason: string]: EndReason } = {
  end_turn: "done",
  stop_sequence: "done",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
  pause_turn: "pause"
}

/** The block as it is sent back. The provider rejects thinking without its signature, and empty text. */
const verbatimOf = ({ began, call, signature, text, type }: Block): ReadonlyArray<JsonObject> => {
  if (call !== null) return [{ ...began, id: call.id, input: objectOf(call.text) ?? {} }]
  switch (type) {
    case "text":
      return text === "" ? [] : [{ ...began, text }]
    case "thinking":
      return signature === "" ? [] : [{ ...began, thinking: text, signature }]
    case "server_tool_use":
      return [{ ...began, input: text === "" ? (began.input ?? {}) : (jsonOf(text) ?? {}) }]
    default:
      return [began]
  }
}

/** `input_tokens` are only those after the last cached position: the complete prompt is the sum. */
const usageOf = (usage: Usage) => {
  const { cache_creation_input_tokens: written, cache_read_input_tokens: read, input_tokens: input } = usage
  return {
    promptTokens: isSet(input) ? input + (read ?? 0) + (written ?? 0) : null,
    cachedTokens: read ?? null,
    ...cacheWritten(written),
    completionTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? null
  }
}
