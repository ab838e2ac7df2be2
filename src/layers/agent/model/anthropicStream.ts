/**
 * What a Messages stream says, event by event.
 *
 * Blocks are kept by index, as they come: fragments of parallel calls never meet. The blocks of the turn are gathered
 * as they were written, signatures included, for the turn's verbatim. Events and deltas of unknown kinds are passed
 * over. Source: the SDK's `RawMessageStreamEvent`; reference agent-lifecycle §8.2.
 */
import { Option, Schema } from "effect"
import type { EndReason, ModelEvent, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import {
  cacheWritten,
  callIdOf,
  cutOff,
  type Decoded,
  type Decoder,
  faulty,
  type Hearing,
  isCut,
  type JsonObject,
  jsonOf,
  nothingSaid,
  notJson,
  objectOf,
  type WireEvent
} from "./Decoder.ts"
import { streamFault } from "./modelFault.ts"

interface Block {
  readonly index: number
  /** As it began. */
  readonly began: JsonObject
  readonly type: string
  /** Text, thinking, or the arguments of a call, as far as they were heard. */
  readonly text: string
  readonly signature: string
  /** Of a call. */
  readonly id: string
  readonly name: string
  readonly stopped: boolean
}

export interface MessagesTurn {
  readonly began: boolean
  readonly over: boolean
  readonly blocks: ReadonlyArray<Block>
  /** A call that has stopped and whose end is not yet told. */
  readonly held: Block | null
  readonly usage: Counts
  readonly stopReason: string | null
}

interface Counts {
  readonly input: number
  readonly cacheRead: number | null
  readonly cacheWritten: number | null
  readonly output: number
  readonly thinking: number | null
}

export const messagesDecoder = (hearing: Hearing): Decoder<MessagesTurn> => ({
  begin: {
    began: false,
    over: false,
    blocks: [],
    held: null,
    usage: { input: 0, cacheRead: null, cacheWritten: null, output: 0, thinking: null },
    stopReason: null
  },
  take: (turn, event) => take(turn, event, hearing),
  end: cutOff,
  isOver: (turn) => turn.over
})

const Count = Schema.optionalKey(Schema.NullOr(Schema.Finite))
const Usage = Schema.Struct({
  input_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
  output_tokens: Count,
  output_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ thinking_tokens: Count })))
})
const MaybeUsage = Schema.optionalKey(Schema.NullOr(Usage))
const MaybeText = Schema.optionalKey(Schema.NullOr(Schema.String))

const MessageStart = Schema.Struct({
  message: Schema.Struct({ id: MaybeText, model: MaybeText, usage: MaybeUsage })
})
const BlockStart = Schema.Struct({
  index: Schema.Int,
  content_block: Schema.Record(Schema.String, Schema.Json)
})
const BlockDelta = Schema.Struct({
  index: Schema.Int,
  delta: Schema.Struct({
    type: Schema.String,
    text: MaybeText,
    thinking: MaybeText,
    signature: MaybeText,
    partial_json: MaybeText
  })
})
const BlockStop = Schema.Struct({ index: Schema.Int })
const MessageDelta = Schema.Struct({ delta: Schema.Struct({ stop_reason: MaybeText }), usage: MaybeUsage })

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

const take = (turn: MessagesTurn, event: WireEvent, hearing: Hearing): Decoded<MessagesTurn> => {
  // A ping, or an event of a later day: whatever it holds.
  if (event.name !== "message" && !kinds.has(event.name)) return nothingSaid(turn)
  const data = objectOf(event.data)
  // An error that is not even JSON is still an error.
  if (event.name === "error" || data?.type === "error") {
    return { turn, said: [], fault: streamFault(data ?? event.data) }
  }
  if (data === undefined) return notJson(turn)
  switch (data.type) {
    case "message_start":
      return Option.match(asMessageStart(data), {
        onNone: () => odd(turn, data),
        onSome: (it) => begin(turn, it, hearing)
      })
    case "content_block_start":
      return Option.match(asBlockStart(data), {
        onNone: () => odd(turn, data),
        onSome: (it) => start(turn, it, hearing)
      })
    case "content_block_delta":
      return Option.match(asBlockDelta(data), { onNone: () => odd(turn, data), onSome: (it) => grow(turn, it) })
    case "content_block_stop":
      return Option.match(asBlockStop(data), { onNone: () => odd(turn, data), onSome: (it) => stop(turn, it.index) })
    case "message_delta":
      return Option.match(asMessageDelta(data), { onNone: () => odd(turn, data), onSome: (it) => conclude(turn, it) })
    case "message_stop":
      return finish(turn)
    default:
      return nothingSaid(turn)
  }
}

const begin = (turn: MessagesTurn, { message }: typeof MessageStart.Type, hearing: Hearing): Decoded<MessagesTurn> => {
  if (turn.began) return faulty(turn, "malformed", "a second message began inside the first")
  const usage = counted(turn.usage, message.usage)
  const messageId = message.id ?? ""
  return {
    turn: { ...turn, began: true, usage },
    said: [
      { _tag: "Began", messageId: messageId === "" ? `msg_${hearing.turnId}` : messageId, model: message.model ?? "" },
      { _tag: "Used", usage: usageOf(usage) }
    ],
    fault: null
  }
}

const start = (
  turn: MessagesTurn,
  { index, content_block: began }: typeof BlockStart.Type,
  hearing: Hearing
): Decoded<MessagesTurn> => {
  if (!turn.began || turn.stopReason !== null || turn.blocks.some((block) => block.index === index)) {
    return faulty(turn, "malformed", "a content block began where none can")
  }
  const type = textIn(began, "type")
  const name = textIn(began, "name")
  const isCall = type === "tool_use"
  if (isCall && name === "") return faulty(turn, "malformed", "a call without a name")
  const ids = turn.blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
  const id = isCall ? callIdOf(textIn(began, "id"), index, hearing, ids) : ""
  const text = type === "text" ? textIn(began, "text") : type === "thinking" ? textIn(began, "thinking") : ""
  const block: Block = { index, began, type, text, signature: textIn(began, "signature"), id, name, stopped: false }
  const said = [...held(turn, true)]
  if (isCall) said.push({ _tag: "CallBegan", id, name })
  if (text !== "") said.push({ _tag: type === "text" ? "Text" : "Thinking", text })
  return { turn: { ...turn, held: null, blocks: [...turn.blocks, block] }, said, fault: null }
}

const grow = (turn: MessagesTurn, { index, delta }: typeof BlockDelta.Type): Decoded<MessagesTurn> => {
  const block = turn.blocks.find((one) => one.index === index)
  if (block === undefined || block.stopped || turn.stopReason !== null)
    return faulty(turn, "malformed", "a part of a content block that is not open")
  const with_ = (change: Partial<Block>): MessagesTurn => replaced(turn, { ...block, ...change })
  if (delta.type === "signature_delta") return nothingSaid(with_({ signature: delta.signature ?? "" }))
  const more =
    delta.type === "text_delta"
      ? delta.text
      : delta.type === "thinking_delta"
        ? delta.thinking
        : delta.type === "input_json_delta"
          ? delta.partial_json
          : null
  if (more === null || more === undefined || more === "") return nothingSaid(turn)
  const said: ReadonlyArray<ModelEvent> =
    delta.type === "text_delta"
      ? [{ _tag: "Text", text: more }]
      : delta.type === "thinking_delta"
        ? [{ _tag: "Thinking", text: more }]
        : block.type === "tool_use"
          ? [{ _tag: "CallArguments", id: block.id, text: more }]
          : []
  return { turn: with_({ text: block.text + more }), said, fault: null }
}

const stop = (turn: MessagesTurn, index: number): Decoded<MessagesTurn> => {
  const block = turn.blocks.find((one) => one.index === index)
  if (block === undefined || block.stopped || turn.stopReason !== null)
    return faulty(turn, "malformed", "a content block ended that is not open")
  const [whole, said] = block.type === "tool_use" ? withInput(block) : [block, thinkingEnd(block)]
  const after = replaced(turn, { ...whole, stopped: true })
  if (block.type !== "tool_use") return { turn: after, said, fault: null }
  // Two calls may be open at once, if a server so wishes.
  return { turn: { ...after, held: whole }, said: [...held(turn, true), ...said], fault: null }
}

/** Arguments that no fragment told are those the block began with, or none. */
const withInput = (block: Block): readonly [Block, ReadonlyArray<ModelEvent>] => {
  if (block.text !== "") return [block, []]
  const text = JSON.stringify(block.began.input ?? {})
  return [{ ...block, text }, [{ _tag: "CallArguments", id: block.id, text }]]
}

const thinkingEnd = ({ type }: Block): ReadonlyArray<ModelEvent> =>
  type === "thinking" || type === "redacted_thinking" ? [{ _tag: "ThinkingEnded" }] : []

const conclude = (turn: MessagesTurn, { delta, usage }: typeof MessageDelta.Type): Decoded<MessagesTurn> => {
  if (!turn.began) return faulty(turn, "malformed", "a message ended that did not begin")
  const counts = counted(turn.usage, usage)
  const stopReason = delta.stop_reason ?? turn.stopReason
  const after: MessagesTurn = { ...turn, usage: counts, stopReason }
  const used: ModelEvent = { _tag: "Used", usage: usageOf(counts) }
  // A second one only counts again.
  if (stopReason === null || turn.stopReason !== null) return { turn: after, said: [used], fault: null }
  const open = after.blocks.filter(({ type, stopped }) => type === "tool_use" && !stopped)
  return {
    turn: { ...after, held: null },
    said: [...held(turn, endsWhole.has(stopReason)), ...open.map((call) => callEnd(call, true)), used],
    fault: null
  }
}

const finish = (turn: MessagesTurn): Decoded<MessagesTurn> => {
  if (!turn.began || turn.stopReason === null) return faulty(turn, "malformed", "the message ended without a reason")
  return {
    turn: { ...turn, over: true },
    said: [
      {
        _tag: "Ended",
        reason: reasonOf(
          turn.stopReason,
          turn.blocks.some(({ type }) => type === "tool_use")
        ),
        stopReason: turn.stopReason,
        verbatim: { anthropic: turn.blocks.flatMap(verbatimOf) }
      }
    ],
    fault: null
  }
}

/** Reasons after which the last call of a turn is whole. */
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

/** A reason of a later day ends the turn as its calls do. */
const reasonOf = (stopReason: string, calls: boolean): EndReason => reasons[stopReason] ?? (calls ? "calls" : "done")

/** The end of a call that was held back, now that something followed it. */
const held = ({ held: call }: MessagesTurn, whole: boolean): ReadonlyArray<ModelEvent> =>
  call === null ? [] : [callEnd(call, !whole)]

const callEnd = ({ id, name, text }: Block, truncated: boolean): ModelEvent => ({
  _tag: "CallEnded",
  id,
  name,
  arguments: text,
  truncated: truncated || isCut(text)
})

/** The block as it is sent back. Thinking that was cut before its signature, and text without words, are refused. */
const verbatimOf = (block: Block): ReadonlyArray<JsonObject> => {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ ...block.began, text: block.text }]
    case "thinking":
      return block.signature === "" ? [] : [{ ...block.began, thinking: block.text, signature: block.signature }]
    case "tool_use":
      return [{ ...block.began, id: block.id, input: objectOf(block.text) ?? {} }]
    case "server_tool_use":
      return [{ ...block.began, input: block.text === "" ? (block.began.input ?? {}) : (jsonOf(block.text) ?? {}) }]
    default:
      return [block.began]
  }
}

const replaced = (turn: MessagesTurn, block: Block): MessagesTurn => ({
  ...turn,
  blocks: turn.blocks.map((one) => (one.index === block.index ? block : one))
})

/** Counts are cumulative; one that is not told again stands. */
const counted = (so: Counts, usage: typeof Usage.Type | null | undefined): Counts =>
  usage === null || usage === undefined
    ? so
    : {
        input: usage.input_tokens ?? so.input,
        cacheRead: usage.cache_read_input_tokens ?? so.cacheRead,
        cacheWritten: usage.cache_creation_input_tokens ?? so.cacheWritten,
        output: usage.output_tokens ?? so.output,
        thinking: usage.output_tokens_details?.thinking_tokens ?? so.thinking
      }

/** `input_tokens` are those after the last cached place alone: the whole prompt is the sum. */
const usageOf = ({ input, cacheRead, cacheWritten: written, output, thinking }: Counts): ModelUsage => ({
  promptTokens: input + (cacheRead ?? 0) + (written ?? 0),
  cachedTokens: cacheRead,
  ...cacheWritten(written),
  completionTokens: output,
  reasoningTokens: thinking,
  costUsd: null
})

const odd = (turn: MessagesTurn, data: JsonObject): Decoded<MessagesTurn> =>
  faulty(turn, "malformed", `an event of the kind ${JSON.stringify(data.type)} has another shape`)

const textIn = (block: JsonObject, key: string): string => (typeof block[key] === "string" ? block[key] : "")
