/**
 * Decodes a stream of the Responses API.
 *
 * Items are kept by their position in the output. Complete items are collected unchanged, including encrypted
 * reasoning, for the turn's verbatim, because nothing is stored at the provider. Events of unknown kinds are ignored.
 * Source: the SDK's `ResponseStreamEvent`.
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
  endMark,
  isSet,
  notStreamed,
  objectOf,
  TurnDecoder,
  textIn,
  type WireEvent
} from "./TurnDecoder.ts"

interface Item {
  readonly type: string
  readonly call: Call | null
  /** The arguments of the call are complete. */
  hasArguments: boolean
  /** Some of its text was emitted. */
  hasText: boolean
  /** The item as sent at its end. */
  whole: JsonObject | null
}

const Usage = Schema.Struct({
  input_tokens: MaybeNumber,
  output_tokens: MaybeNumber,
  input_tokens_details: nullish(Schema.Struct({ cached_tokens: MaybeNumber, cache_write_tokens: MaybeNumber })),
  output_tokens_details: nullish(Schema.Struct({ reasoning_tokens: MaybeNumber }))
})
const Response = Schema.Struct({
  ...fieldsOf(MaybeText, ["id", "model", "status"]),
  incomplete_details: nullish(Schema.Struct({ reason: MaybeText })),
  usage: nullish(Usage)
})
type Response = typeof Response.Type
const place = { output_index: Schema.Int }
const asResponse = Schema.decodeUnknownOption(Schema.Struct({ response: Response }))
const asItem = Schema.decodeUnknownOption(Schema.Struct({ ...place, item: Schema.Record(Schema.String, Schema.Json) }))
const asDelta = Schema.decodeUnknownOption(Schema.Struct({ ...place, delta: Schema.String }))
const asArguments = Schema.decodeUnknownOption(Schema.Struct({ ...place, arguments: Schema.String }))

/** Kinds whose data must be JSON; all others are ignored. */
const isKnown = (name: string): boolean => name === "message" || name === "error" || name.startsWith("response.")

export class ResponsesDecoder extends TurnDecoder {
  readonly #items = new Map<number, Item>()
  #isRefusal = false

  read({ data: text, name }: WireEvent) {
    if (!isKnown(name) || text === endMark) return
    const data = objectOf(text)
    const type = data?.type
    const isError = name === "error" || type === "error" || (type === undefined && isSet(data?.error))
    if (isError) this.fault = streamFault(data ?? text)
    else if (data === undefined) this.fail("malformed", "an event is not JSON")
    else if (data.object === "response") this.fail("malformed", notStreamed)
    else this.#readData(data)
  }

  #readData(data: JsonObject) {
    const { type } = data
    switch (type) {
      case "response.created":
        return this.decode(asResponse, data, ({ response }) => this.#beginResponse(response))
      case "response.output_item.added":
        return this.decode(asItem, data, ({ item, output_index }) => this.#beginItem(output_index, item))
      case "response.output_item.done":
        return this.decode(asItem, data, ({ item, output_index }) => this.#endItem(output_index, item))
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
      case "response.function_call_arguments.delta":
        return this.decode(asDelta, data, ({ delta, output_index }) => this.#extendItem(type, output_index, delta))
      case "response.function_call_arguments.done":
        return this.decode(asArguments, data, (done) =>
          this.#completeArguments(this.#items.get(done.output_index), done.arguments)
        )
      case "response.reasoning_summary_part.added":
        if ([...this.#items.values()].at(-1)?.hasText === true) this.emit({ _tag: "Thinking", text: "\n\n" })
        return
      case "response.failed":
        this.decode(asResponse, data, ({ response }) => this.#takeUsage(response))
        this.fault = streamFault(data.response ?? data)
        return
      case "response.completed":
        return this.decode(asResponse, data, ({ response }) => this.#endResponse("completed", response))
      case "response.incomplete":
        return this.decode(asResponse, data, ({ response }) =>
          this.#endResponse(response.incomplete_details?.reason ?? "incomplete", response)
        )
    }
  }

  #beginResponse({ id, model }: Response) {
    if (this.hasBegun) return this.fail("malformed", "a second response began inside the first")
    this.begin("resp", id, model)
  }

  #beginItem(place: number, item: JsonObject) {
    if (!this.hasBegun || this.#items.has(place)) return this.fail("malformed", "an item began at the wrong place")
    const type = textIn(item, "type")
    const name = textIn(item, "name")
    const isCall = type === "function_call"
    if (isCall && name === "") return this.fail("malformed", "a call without a name")
    this.releaseCall(true)
    const call = isCall ? this.beginCall(textIn(item, "call_id"), place, name) : null
    this.#items.set(place, { type, call, hasArguments: false, hasText: false, whole: null })
  }

  #extendItem(kind: string, place: number, delta: string) {
    const item = this.#items.get(place)
    const isArguments = kind === "response.function_call_arguments.delta"
    if (item === undefined || item.whole !== null || item.hasArguments || isArguments !== (item.call !== null)) {
      return this.fail("malformed", "a part of an item that is not open")
    }
    if (item.call !== null) return this.extendCall(item.call, delta)
    if (delta === "") return
    item.hasText = true
    if (kind === "response.refusal.delta") this.#isRefusal = true
    this.emit({ _tag: kind.startsWith("response.reasoning") ? "Thinking" : "Text", text: delta })
  }

  /** Emits the part of the complete arguments that no delta contained. */
  #completeArguments(item: Item | undefined, whole: string) {
    const call = item?.call ?? null
    if (item === undefined || call === null || item.hasArguments || !whole.startsWith(call.text)) {
      return this.fail("malformed", "the arguments of a call differ from their parts")
    }
    item.hasArguments = true
    this.extendCall(call, (whole === "" ? "{}" : whole).slice(call.text.length))
  }

  #endItem(place: number, whole: JsonObject) {
    const item = this.#items.get(place)
    if (item === undefined || item.whole !== null) return this.fail("malformed", "an item ended that is not open")
    const { call } = item
    if (call === null) {
      item.whole = whole
      if (item.type === "reasoning") this.emit({ _tag: "ThinkingEnded" })
      return
    }
    // A call that was cut off has this status, and incomplete arguments.
    const isWhole = textIn(whole, "status") !== "incomplete"
    if (isWhole && !item.hasArguments) this.#completeArguments(item, textIn(whole, "arguments"))
    if (this.fault !== null) return
    item.whole = { ...whole, call_id: call.id }
    this.releaseCall(true)
    if (isWhole) this.holdCall(call)
  }

  #takeUsage({ usage }: Response) {
    if (isSet(usage)) this.used(usageOf(usage))
  }

  #endResponse(stopReason: string, response: Response) {
    if (!this.hasBegun) return this.fail("malformed", "a response ended that did not begin")
    this.endCalls(stopReason === "completed")
    this.#takeUsage(response)
    const verbatim = { responses: [...this.#items.values()].flatMap(verbatimOf) }
    this.end(this.#isRefusal ? "refusal" : reasons[stopReason], stopReason, verbatim)
  }
}

const reasons: { readonly [reason: string]: EndReason } = {
  max_output_tokens: "length",
  max_messages: "length",
  content_filter: "filtered"
}

/** An item as it is sent back. The provider parses arguments, so a call that was cut off is sent with empty ones. */
const verbatimOf = ({ call, whole }: Item): ReadonlyArray<JsonObject> => {
  if (whole === null) return []
  return [call === null || objectOf(textIn(whole, "arguments")) !== undefined ? whole : { ...whole, arguments: "{}" }]
}

const usageOf = (usage: typeof Usage.Type) => ({
  promptTokens: usage.input_tokens,
  completionTokens: usage.output_tokens,
  cachedTokens: usage.input_tokens_details?.cached_tokens ?? null,
  ...cacheWritten(usage.input_tokens_details?.cache_write_tokens),
  reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? null
})
