/**
 * What a Responses stream says, event by event.
 *
 * Items are kept by their place in the output. Whole items are gathered as they were written, encrypted reasoning
 * included, for the turn's verbatim: nothing is stored at the provider. Events of unknown kinds are passed over.
 * Source: the SDK's `ResponseStreamEvent`.
 */
import { Option, Schema } from "effect"
import type { EndReason, ModelEvent, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import {
  cacheWritten,
  callIdOf,
  cutOff,
  type Decoded,
  type Decoder,
  endMark,
  faulty,
  type Hearing,
  isCut,
  type JsonObject,
  nothingCounted,
  nothingSaid,
  notJson,
  objectOf,
  type WireEvent
} from "./Decoder.ts"
import { streamFault } from "./modelFault.ts"

interface Call {
  readonly id: string
  readonly name: string
  readonly written: string
  /** Its arguments are whole. */
  readonly ended: boolean
  /** Its end has been said. */
  readonly told: boolean
}

interface Item {
  readonly place: number
  readonly type: string
  /** Of a function call. */
  readonly call: Call | null
  /** Has text of it been said? */
  readonly spoken: boolean
  /** As it was when it ended. */
  readonly whole: JsonObject | null
}

export interface ResponsesTurn {
  readonly began: boolean
  readonly over: boolean
  readonly items: ReadonlyArray<Item>
  /** The place of a call that has ended and whose end is not yet told. */
  readonly held: number | null
  readonly refused: boolean
}

export const responsesDecoder = (hearing: Hearing): Decoder<ResponsesTurn> => ({
  begin: { began: false, over: false, items: [], held: null, refused: false },
  take: (turn, event) => take(turn, event, hearing),
  end: cutOff,
  isOver: (turn) => turn.over
})

const Count = Schema.optionalKey(Schema.NullOr(Schema.Finite))
const MaybeText = Schema.optionalKey(Schema.NullOr(Schema.String))
const AnyObject = Schema.Record(Schema.String, Schema.Json)

const Response = Schema.Struct({
  id: MaybeText,
  model: MaybeText,
  status: MaybeText,
  incomplete_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reason: MaybeText }))),
  usage: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        input_tokens: Count,
        output_tokens: Count,
        input_tokens_details: Schema.optionalKey(
          Schema.NullOr(Schema.Struct({ cached_tokens: Count, cache_write_tokens: Count }))
        ),
        output_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reasoning_tokens: Count })))
      })
    )
  )
})
const asResponse = Schema.decodeUnknownOption(Schema.Struct({ response: Response }))
const asItem = Schema.decodeUnknownOption(Schema.Struct({ output_index: Schema.Int, item: AnyObject }))
const asDelta = Schema.decodeUnknownOption(Schema.Struct({ output_index: Schema.Int, delta: Schema.String }))
const asArguments = Schema.decodeUnknownOption(Schema.Struct({ output_index: Schema.Int, arguments: Schema.String }))

/** Kinds whose data must be JSON; of all others nobody knows. */
const isKnown = (name: string): boolean => name === "message" || name === "error" || name.startsWith("response.")

const take = (turn: ResponsesTurn, { name, data: text }: WireEvent, hearing: Hearing): Decoded<ResponsesTurn> => {
  if (!isKnown(name) || text === endMark) return nothingSaid(turn)
  const data = objectOf(text)
  const type = data?.type
  if (name === "error" || type === "error" || (type === undefined && data?.error !== undefined)) {
    return { turn, said: [], fault: streamFault(data ?? text) }
  }
  if (data === undefined) return notJson(turn)
  const none = () => faulty(turn, "malformed", `an event of the kind ${JSON.stringify(type)} has another shape`)
  switch (type) {
    case "response.created":
      return Option.match(asResponse(data), { onNone: none, onSome: ({ response }) => begin(turn, response, hearing) })
    case "response.output_item.added":
      return Option.match(asItem(data), { onNone: none, onSome: (it) => add(turn, it.output_index, it.item, hearing) })
    case "response.output_item.done":
      return Option.match(asItem(data), { onNone: none, onSome: (it) => complete(turn, it.output_index, it.item) })
    case "response.output_text.delta":
    case "response.refusal.delta":
    case "response.reasoning_text.delta":
    case "response.reasoning_summary_text.delta":
    case "response.function_call_arguments.delta":
      return Option.match(asDelta(data), { onNone: none, onSome: (it) => grow(turn, type, it.output_index, it.delta) })
    case "response.function_call_arguments.done":
      return Option.match(asArguments(data), {
        onNone: none,
        onSome: (it) => settle(turn, it.output_index, it.arguments)
      })
    case "response.reasoning_summary_part.added":
      return { turn, said: turn.items.at(-1)?.spoken === true ? [{ _tag: "Thinking", text: "\n\n" }] : [], fault: null }
    case "response.failed":
      return { turn, said: [], fault: streamFault(data.response ?? data) }
    case "response.completed":
    case "response.incomplete":
      return Option.match(asResponse(data), { onNone: none, onSome: ({ response }) => finish(turn, type, response) })
    default:
      return nothingSaid(turn)
  }
}

const begin = (turn: ResponsesTurn, response: typeof Response.Type, hearing: Hearing): Decoded<ResponsesTurn> => {
  if (turn.began) return faulty(turn, "malformed", "a second response began inside the first")
  const messageId = response.id ?? ""
  return {
    turn: { ...turn, began: true },
    said: [
      { _tag: "Began", messageId: messageId === "" ? `resp_${hearing.turnId}` : messageId, model: response.model ?? "" }
    ],
    fault: null
  }
}

const add = (turn: ResponsesTurn, place: number, item: JsonObject, hearing: Hearing): Decoded<ResponsesTurn> => {
  if (!turn.began || itemAt(turn, place) !== undefined) return faulty(turn, "malformed", "an item began where none can")
  const type = textIn(item, "type")
  const name = textIn(item, "name")
  const isCall = type === "function_call"
  if (isCall && name === "") return faulty(turn, "malformed", "a call without a name")
  const ids = turn.items.flatMap(({ call }) => (call === null ? [] : [call.id]))
  const call = isCall
    ? { id: callIdOf(textIn(item, "call_id"), place, hearing, ids), name, written: "", ended: false, told: false }
    : null
  const [after, said] = release(turn, true)
  const items = [...after.items, { place, type, call, spoken: false, whole: null }]
  return {
    turn: { ...after, items },
    said: call === null ? said : [...said, { _tag: "CallBegan", id: call.id, name }],
    fault: null
  }
}

const grow = (turn: ResponsesTurn, kind: string, place: number, delta: string): Decoded<ResponsesTurn> => {
  const item = itemAt(turn, place)
  const isArguments = kind === "response.function_call_arguments.delta"
  if (item === undefined || item.whole !== null || isArguments !== (item.call !== null) || item.call?.ended === true) {
    return faulty(turn, "malformed", "a part of an item that is not open")
  }
  if (delta === "") return nothingSaid(turn)
  if (item.call !== null) {
    const call = { ...item.call, written: item.call.written + delta }
    return {
      turn: replaced(turn, { ...item, call }),
      said: [{ _tag: "CallArguments", id: call.id, text: delta }],
      fault: null
    }
  }
  const _tag = kind.startsWith("response.reasoning") ? "Thinking" : "Text"
  const refused = turn.refused || kind === "response.refusal.delta"
  return { turn: { ...replaced(turn, { ...item, spoken: true }), refused }, said: [{ _tag, text: delta }], fault: null }
}

/** The arguments whole: what no delta told is told now. */
const settle = (turn: ResponsesTurn, place: number, whole: string): Decoded<ResponsesTurn> => {
  const item = itemAt(turn, place)
  if (item?.call === undefined || item.call === null || item.call.ended || !whole.startsWith(item.call.written)) {
    return faulty(turn, "malformed", "the arguments of a call are not those that were told")
  }
  const text = whole === "" ? "{}" : whole
  const rest = text.slice(item.call.written.length)
  const call = { ...item.call, written: text, ended: true }
  return {
    turn: replaced(turn, { ...item, call }),
    said: rest === "" ? [] : [{ _tag: "CallArguments", id: call.id, text: rest }],
    fault: null
  }
}

const complete = (turn: ResponsesTurn, place: number, whole: JsonObject): Decoded<ResponsesTurn> => {
  const item = itemAt(turn, place)
  if (item === undefined || item.whole !== null) return faulty(turn, "malformed", "an item ended that is not open")
  if (item.call === null) {
    return {
      turn: replaced(turn, { ...item, whole }),
      said: item.type === "reasoning" ? [{ _tag: "ThinkingEnded" }] : [],
      fault: null
    }
  }
  // One that was cut says so, and its arguments are as far as they came.
  const isWhole = textIn(whole, "status") !== "incomplete"
  const settled = isWhole && !item.call.ended ? settle(turn, place, textIn(whole, "arguments")) : nothingSaid(turn)
  if (settled.fault !== null) return settled
  const [released, ends] = release(settled.turn, true)
  const now = itemAt(released, place) ?? item
  const named = { ...whole, call_id: item.call.id }
  const after = replaced(released, { ...now, whole: named })
  return { turn: { ...after, held: isWhole ? place : null }, said: [...ends, ...settled.said], fault: null }
}

const finish = (
  turn: ResponsesTurn,
  type: "response.completed" | "response.incomplete",
  response: typeof Response.Type
): Decoded<ResponsesTurn> => {
  if (!turn.began) return faulty(turn, "malformed", "a response ended that did not begin")
  const stopReason = type === "response.completed" ? "completed" : (response.incomplete_details?.reason ?? "incomplete")
  const [after, ends] = release(turn, stopReason === "completed")
  const cut = after.items.flatMap(({ call }) => (call === null || call.told ? [] : [callEnd(call, true)]))
  const calls = after.items.some(({ call }) => call !== null)
  const said: Array<ModelEvent> = [...ends, ...cut]
  if (response.usage !== null && response.usage !== undefined)
    said.push({ _tag: "Used", usage: usageOf(response.usage) })
  const reason: EndReason = turn.refused ? "refusal" : (reasons[stopReason] ?? (calls ? "calls" : "done"))
  const verbatim = {
    responses: after.items.flatMap(({ whole, call }) => (whole === null ? [] : [writable(whole, call)]))
  }
  said.push({ _tag: "Ended", reason, stopReason, verbatim })
  return { turn: { ...after, over: true }, said, fault: null }
}

const reasons: { readonly [reason: string]: EndReason } = {
  max_output_tokens: "length",
  max_messages: "length",
  content_filter: "filtered"
}

/** The end of the call that was held back, now that something followed it. */
const release = (turn: ResponsesTurn, whole: boolean): readonly [ResponsesTurn, ReadonlyArray<ModelEvent>] => {
  const item = turn.held === null ? undefined : itemAt(turn, turn.held)
  if (item?.call === undefined || item.call === null) return [turn, []]
  const told = replaced(turn, { ...item, call: { ...item.call, told: true } })
  return [{ ...told, held: null }, [callEnd(item.call, !whole)]]
}

const callEnd = ({ id, name, written }: Call, truncated: boolean): ModelEvent => ({
  _tag: "CallEnded",
  id,
  name,
  arguments: written,
  truncated: truncated || isCut(written)
})

/** An item as it is sent back. A call that was cut has arguments that are JSON, for the provider reads them. */
const writable = (whole: JsonObject, call: Call | null): JsonObject =>
  call === null || objectOf(textIn(whole, "arguments")) !== undefined ? whole : { ...whole, arguments: "{}" }

const itemAt = (turn: ResponsesTurn, place: number): Item | undefined => turn.items.find((item) => item.place === place)

const replaced = (turn: ResponsesTurn, item: Item): ResponsesTurn => ({
  ...turn,
  items: turn.items.map((one) => (one.place === item.place ? item : one))
})

const usageOf = (usage: NonNullable<(typeof Response.Type)["usage"]>): ModelUsage => ({
  ...nothingCounted,
  promptTokens: usage.input_tokens ?? 0,
  completionTokens: usage.output_tokens ?? 0,
  cachedTokens: usage.input_tokens_details?.cached_tokens ?? null,
  ...cacheWritten(usage.input_tokens_details?.cache_write_tokens),
  reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? null
})

const textIn = (object: JsonObject, key: string): string => (typeof object[key] === "string" ? object[key] : "")
