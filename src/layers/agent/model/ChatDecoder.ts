/**
 * Decodes a stream of Chat Completions, with the variations of the servers of this protocol.
 *
 * Calls are sent in fragments by index, or complete, with or without an id or an index; thinking is in a separate field
 * or in the text; usage is in the last chunk, in every chunk, or absent; `[DONE]` may be missing. An answer that is one
 * JSON object instead of a stream is decoded the same way. Source: the SDK's `ChatCompletionChunk`; the documents of
 * Ollama, llama.cpp, vLLM and OpenRouter.
 */

import { Schema } from "effect"
import type { EndReason } from "../../../domain/agent/ModelTurn.ts"
import { fieldsOf } from "../../../domain/system/fieldsOf.ts"
import type { JsonObject } from "../../../domain/system/jsonObject.ts"
import { MaybeNumber, MaybeText, nullish } from "../nullish.ts"
import { streamFault } from "./modelFault.ts"
import { endTagged, noTags, type ThinkTags, takeTagged } from "./ThinkTags.ts"
import {
  type Call,
  cacheWritten,
  endMark,
  isCut,
  isText,
  objectOf,
  TurnDecoder,
  type WireEvent
} from "./TurnDecoder.ts"

interface ChatCall {
  readonly call: Call
  /** The server's own; several calls may have the same. */
  readonly index: number | null
  /** As sent by the server. */
  readonly ownId: string
}

const CallDelta = Schema.Struct({
  index: nullish(Schema.Int),
  id: MaybeText,
  function: nullish(
    Schema.Struct({
      name: MaybeText,
      // Some servers send the object itself.
      arguments: nullish(Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Json)]))
    })
  )
})
const Delta = Schema.Struct({
  ...fieldsOf(MaybeText, ["content", "refusal", "reasoning_content", "reasoning"]),
  tool_calls: nullish(Schema.Array(CallDelta))
})
type Delta = typeof Delta.Type
const Usage = Schema.Struct({
  prompt_tokens: MaybeNumber,
  completion_tokens: MaybeNumber,
  prompt_tokens_details: nullish(Schema.Struct({ cached_tokens: MaybeNumber, cache_write_tokens: MaybeNumber })),
  completion_tokens_details: nullish(Schema.Struct({ reasoning_tokens: MaybeNumber })),
  /** OpenRouter: dollars. */
  cost: MaybeNumber
})
const Choice = Schema.Struct({
  index: nullish(Schema.Int),
  delta: nullish(Delta),
  message: nullish(Delta),
  finish_reason: MaybeText
})
const Chunk = Schema.Struct({
  id: MaybeText,
  model: MaybeText,
  choices: nullish(Schema.Array(Choice)),
  usage: nullish(Usage)
})
const asChunk = Schema.decodeUnknownOption(Chunk)

export class ChatDecoder extends TurnDecoder {
  #tags: ThinkTags = noTags
  /** Thinking in a separate field has begun and not ended. */
  #isThinking = false
  readonly #chatCalls: Array<ChatCall> = []
  /** The last call, while it continues; the others have ended. */
  #openCall: Call | null = null
  #finish: string | null = null
  #isRefusal = false
  #hasUsage = false

  read({ data: text, name }: WireEvent) {
    if (text === endMark) return this.hasBegun ? this.#conclude() : this.close()
    if (name !== "message" && name !== "error") return
    const data = objectOf(text)
    if (name === "error" || (data !== undefined && isError(data))) this.fault = streamFault(data ?? text)
    else if (data === undefined) this.fail("malformed", "an event is not JSON")
    else this.decode(asChunk, data, (chunk) => this.#takeChunk(chunk))
  }

  /** Many servers send nothing after the finish reason. */
  override close() {
    if (this.hasBegun && this.#finish !== null) this.#conclude()
    else super.close()
  }

  #takeChunk(chunk: typeof Chunk.Type) {
    // Only the first of several answers is requested, and read.
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0)
    if (!this.hasBegun && choice !== undefined) this.begin("chat", chunk.id, chunk.model)
    const delta = choice?.delta ?? choice?.message
    if (delta !== null && delta !== undefined) this.#takeDelta(delta)
    if (this.fault !== null) return
    const finish = choice?.finish_reason
    if (chunk.usage !== null && chunk.usage !== undefined) {
      // Some servers send usage with every chunk; not each of them needs an event.
      const isNeeded = this.#finish !== null || !this.#hasUsage || choice === undefined || isText(finish)
      if (this.hasBegun && isNeeded) this.used(usageOf(chunk.usage))
      this.#hasUsage = true
    }
    if (finish === "error") this.fail("provider-fault", "")
    else if (isText(finish) && this.#finish === null) this.#finishWith(finish)
  }

  #takeDelta(delta: Delta) {
    if (this.#finish !== null && hasContent(delta)) return this.fail("malformed", "the answer continued after its end")
    const thought = delta.reasoning_content || delta.reasoning || ""
    if (thought !== "") {
      this.emit({ _tag: "Thinking", text: thought })
      this.#isThinking = true
    }
    const words = delta.content || delta.refusal || ""
    if (words !== "") {
      this.#endThinking()
      if (!isText(delta.content)) this.#isRefusal = true
      const [tags, parts] = takeTagged(this.#tags, words)
      this.#tags = tags
      this.emit(...parts)
    }
    for (const call of delta.tool_calls ?? []) {
      this.#endThinking()
      this.#takeCall(call)
      if (this.fault !== null) return
    }
  }

  /** Thinking in a separate field ends when text or calls begin. */
  #endThinking() {
    if (this.#isThinking) this.emit({ _tag: "ThinkingEnded" })
    this.#isThinking = false
  }

  #takeCall(delta: typeof CallDelta.Type) {
    const name = delta.function?.name ?? ""
    const given = delta.function?.arguments ?? ""
    const text = typeof given === "string" ? given : JSON.stringify(given)
    const known = this.#continuedCall(delta, name)
    if (known !== undefined) {
      // A call that was followed by another one has ended.
      if (known !== this.#openCall) return this.fail("malformed", "a call continued after its end")
      return this.extendCall(known, text)
    }
    if (name === "") return this.fail("malformed", "a call without a name")
    this.#endOpenCall("tool_calls")
    const ownId = delta.id ?? ""
    const call = this.beginCall(ownId, this.#chatCalls.length, name)
    this.#chatCalls.push({ call, index: delta.index ?? null, ownId })
    this.#openCall = call
    this.extendCall(call, text)
  }

  /**
   * The call that a fragment continues. A fragment with another id, or one that names a tool when the arguments of the
   * previous call are complete, is a new call, whatever its index is: some servers send index 0 for every call.
   */
  #continuedCall({ id, index }: typeof CallDelta.Type, name: string): Call | undefined {
    const last = this.#chatCalls.at(-1)
    const hasIndex = index !== undefined && index !== null
    const same = hasIndex ? this.#chatCalls.findLast((each) => each.index === index) : last
    if (same === undefined || (isText(id) && id !== same.ownId)) return undefined
    const { call } = same
    return name === "" || (same === last && name === call.name && isCut(call.text)) ? call : undefined
  }

  #endOpenCall(finish: string) {
    const call = this.#openCall
    if (call === null) return
    this.#openCall = null
    // Without arguments, a call that was not cut off is to a tool that takes none.
    if (call.text.trim() === "" && endsWhole.has(finish)) this.extendCall(call, "{}")
    this.endCall(call, reasons[finish] === undefined)
  }

  #finishWith(finish: string) {
    this.#finish = finish
    this.#endThinking()
    this.emit(...endTagged(this.#tags))
    this.#tags = { at: "after", pending: "" }
    this.#endOpenCall(finish)
  }

  #conclude() {
    // The stream ended properly without a reason: the last call is complete if its arguments are.
    const isWhole = this.#openCall === null || !isCut(this.#openCall.text)
    if (this.#finish === null) this.#finishWith(isWhole ? "stop" : "length")
    const finish = this.#finish ?? "stop"
    this.end(this.#isRefusal ? "refusal" : reasons[finish], finish, null)
  }
}

const isError = (data: JsonObject): boolean =>
  (data.error !== undefined && data.error !== null) || data.object === "error"

const hasContent = (delta: Delta): boolean =>
  isText(delta.content) || isText(delta.refusal) || (delta.tool_calls ?? []).length > 0

/** Reasons after which a call without arguments is complete. */
const endsWhole = new Set(["stop", "tool_calls", "function_call", "end_turn", "eos", "tool_use"])

/** `stop` after calls means calls: many servers send no other reason. */
const reasons: { readonly [finish: string]: EndReason } = {
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "filtered",
  safety: "filtered",
  SAFETY: "filtered"
}

const usageOf = (usage: typeof Usage.Type) => ({
  promptTokens: usage.prompt_tokens,
  completionTokens: usage.completion_tokens,
  cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
  ...cacheWritten(usage.prompt_tokens_details?.cache_write_tokens),
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? null,
  costUsd: usage.cost ?? null
})
