/**
 * What a Chat Completions stream says, as the many servers that speak it write it.
 *
 * Calls come in fragments by index, or whole, with or without an id or an index; thinking comes in a field of its own
 * or inside the text; usage last, with every chunk, or never; `[DONE]` may be missing. An answer that is one JSON
 * object instead of a stream is heard the same way. Source: the SDK's `ChatCompletionChunk`; the documents of Ollama,
 * llama.cpp, vLLM and OpenRouter.
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
import { endTagged, noTags, type TaggedPart, type ThinkTags, takeTagged } from "./ThinkTags.ts"

interface Call {
  readonly place: number
  /** The server's own; several calls may have the same. */
  readonly index: number | null
  /** As the server wrote it. */
  readonly ownId: string
  readonly id: string
  readonly name: string
  readonly written: string
}

export interface ChatTurn {
  readonly began: boolean
  readonly over: boolean
  readonly tags: ThinkTags
  /** A field of its own tells thinking, and it has not ended. */
  readonly thinks: boolean
  readonly calls: ReadonlyArray<Call>
  /** The place of the last call, while it goes on; the others have ended. */
  readonly open: number | null
  readonly finish: string | null
  readonly refused: boolean
  readonly usage: ModelUsage | null
}

export const chatDecoder = (hearing: Hearing): Decoder<ChatTurn> => ({
  begin: {
    began: false,
    over: false,
    tags: noTags,
    thinks: false,
    calls: [],
    open: null,
    finish: null,
    refused: false,
    usage: null
  },
  take: (turn, event) => take(turn, event, hearing),
  // Many a server says why it stopped and then nothing more.
  end: (turn) => (turn.began && turn.finish !== null ? conclude(turn) : cutOff(turn)),
  isOver: (turn) => turn.over
})

const Count = Schema.optionalKey(Schema.NullOr(Schema.Finite))
const MaybeText = Schema.optionalKey(Schema.NullOr(Schema.String))

const CallDelta = Schema.Struct({
  index: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  id: MaybeText,
  function: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        name: MaybeText,
        // Some servers write the object itself.
        arguments: Schema.optionalKey(
          Schema.NullOr(Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Json)]))
        )
      })
    )
  )
})
const Delta = Schema.Struct({
  content: MaybeText,
  refusal: MaybeText,
  reasoning_content: MaybeText,
  reasoning: MaybeText,
  tool_calls: Schema.optionalKey(Schema.NullOr(Schema.Array(CallDelta)))
})
const MaybeDelta = Schema.optionalKey(Schema.NullOr(Delta))
const Usage = Schema.Struct({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ cached_tokens: Count, cache_write_tokens: Count }))
  ),
  completion_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reasoning_tokens: Count }))),
  /** OpenRouter: dollars. */
  cost: Count
})
const Chunk = Schema.Struct({
  id: MaybeText,
  model: MaybeText,
  choices: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          index: Schema.optionalKey(Schema.NullOr(Schema.Int)),
          delta: MaybeDelta,
          message: MaybeDelta,
          finish_reason: MaybeText
        })
      )
    )
  ),
  usage: Schema.optionalKey(Schema.NullOr(Usage))
})
const asChunk = Schema.decodeUnknownOption(Chunk)

const take = (turn: ChatTurn, { name, data: text }: WireEvent, hearing: Hearing): Decoded<ChatTurn> => {
  if (text === endMark) return turn.began ? conclude(turn) : cutOff(turn)
  if (name !== "message" && name !== "error") return nothingSaid(turn)
  const data = objectOf(text)
  if (name === "error" || (data !== undefined && isError(data)))
    return { turn, said: [], fault: streamFault(data ?? text) }
  if (data === undefined) return notJson(turn)
  return Option.match(asChunk(data), {
    onNone: () => faulty(turn, "malformed", "a chunk has another shape"),
    onSome: (chunk) => hear(turn, chunk, hearing)
  })
}

const isError = (data: JsonObject): boolean =>
  (data.error !== undefined && data.error !== null) || data.object === "error"

const hear = (turn: ChatTurn, chunk: typeof Chunk.Type, hearing: Hearing): Decoded<ChatTurn> => {
  const said: Array<ModelEvent> = []
  let now = turn
  // Only the first of several answers is asked for, and heard.
  const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0)
  if (!now.began && choice !== undefined) {
    const id = chunk.id ?? ""
    said.push({ _tag: "Began", messageId: id === "" ? `chat_${hearing.turnId}` : id, model: chunk.model ?? "" })
    now = { ...now, began: true }
  }
  const delta = choice?.delta ?? choice?.message
  if (delta !== null && delta !== undefined) {
    if (now.finish !== null && saysMore(delta)) return faulty(turn, "malformed", "the answer went on after its end")
    const thought = delta.reasoning_content || delta.reasoning || ""
    if (thought !== "") {
      said.push({ _tag: "Thinking", text: thought })
      now = { ...now, thinks: true }
    }
    const words = delta.content || delta.refusal || ""
    if (words !== "") {
      now = { ...thoughtOut(now, said), refused: now.refused || (delta.content ?? "") === "" }
      const [tags, parts] = takeTagged(now.tags, words)
      said.push(...parts.map(partSaid))
      now = { ...now, tags }
    }
    for (const call of delta.tool_calls ?? []) {
      const step = takeCall(thoughtOut(now, said), call, hearing)
      said.push(...step.said)
      if (step.fault !== null) return { turn: step.turn, said, fault: step.fault }
      now = step.turn
    }
  }
  if (chunk.usage !== null && chunk.usage !== undefined) {
    const usage = usageOf(chunk.usage)
    // Some servers count with every chunk; so often need not be said.
    const isNews = now.finish !== null || now.usage === null || choice === undefined || isText(choice.finish_reason)
    if (now.began && isNews) {
      said.push({ _tag: "Used", usage })
    }
    now = { ...now, usage }
  }
  const finish = choice?.finish_reason
  if (finish === "error") return { turn: now, said, fault: { kind: "provider-fault", status: null, detail: "" } }
  if (isText(finish) && now.finish === null) {
    const ended = finished({ ...now, finish }, said)
    return { turn: ended, said, fault: null }
  }
  return { turn: now, said, fault: null }
}

const saysMore = (delta: typeof Delta.Type): boolean =>
  isText(delta.content) || isText(delta.refusal) || (delta.tool_calls ?? []).length > 0

/** Thinking in a field of its own ends where words or calls begin. */
const thoughtOut = (turn: ChatTurn, said: Array<ModelEvent>): ChatTurn => {
  if (!turn.thinks) return turn
  said.push({ _tag: "ThinkingEnded" })
  return { ...turn, thinks: false }
}

const takeCall = (turn: ChatTurn, delta: typeof CallDelta.Type, hearing: Hearing): Decoded<ChatTurn> => {
  const name = delta.function?.name ?? ""
  const given = delta.function?.arguments ?? ""
  const text = typeof given === "string" ? given : JSON.stringify(given)
  const known = callMeant(turn, delta, name)
  if (known !== undefined) {
    // A call that another one followed has ended.
    if (known.place !== turn.open) return faulty(turn, "malformed", "a call went on after its end")
    if (text === "") return nothingSaid(turn)
    const longer = { ...known, written: known.written + text }
    return {
      turn: { ...turn, calls: [...turn.calls.slice(0, -1), longer] },
      said: [{ _tag: "CallArguments", id: known.id, text }],
      fault: null
    }
  }
  if (name === "") return faulty(turn, "malformed", "a call without a name")
  const ownId = delta.id ?? ""
  const place = turn.calls.length
  const inTurn = turn.calls.map((call) => call.id)
  const id = callIdOf(ownId, place, hearing, inTurn)
  const said: Array<ModelEvent> = [...closeOpen(turn, "tool_calls"), { _tag: "CallBegan", id, name }]
  if (text !== "") said.push({ _tag: "CallArguments", id, text })
  const call: Call = { place, index: delta.index ?? null, ownId, id, name, written: text }
  return { turn: { ...turn, calls: [...turn.calls, call], open: place }, said, fault: null }
}

/**
 * The call a fragment goes on with. A fragment with another id, or one that names a tool where the call before has all
 * of its arguments, is a call of its own, whatever its index says: there are servers that send every call as the first.
 */
const callMeant = (turn: ChatTurn, { index, id }: typeof CallDelta.Type, name: string): Call | undefined => {
  const last = turn.calls.at(-1)
  const same = index === undefined || index === null ? last : turn.calls.findLast((call) => call.index === index)
  if (same === undefined || (isText(id) && id !== same.ownId)) return undefined
  const goesOn = name === "" || (same === last && name === same.name && isCut(same.written))
  return goesOn ? same : undefined
}

/** The end of the call that went on until now, for this reason. */
const closeOpen = (turn: ChatTurn, finish: string): ReadonlyArray<ModelEvent> => {
  const call = turn.open === null ? undefined : turn.calls[turn.open]
  if (call === undefined) return []
  const { id, name, written } = call
  // No arguments at all are those of a tool that takes none, if the call was not cut.
  if (written.trim() === "" && endsWhole.has(finish)) {
    const end: ModelEvent = { _tag: "CallEnded", id, name, arguments: `${written}{}`, truncated: false }
    return [{ _tag: "CallArguments", id, text: "{}" }, end]
  }
  return [
    { _tag: "CallEnded", id, name, arguments: written, truncated: reasons[finish] !== undefined || isCut(written) }
  ]
}

/** The reason is known: what was open ends. */
const finished = (turn: ChatTurn, said: Array<ModelEvent>): ChatTurn => {
  const after = thoughtOut(turn, said)
  said.push(...endTagged(after.tags).map(partSaid))
  said.push(...closeOpen(after, turn.finish ?? ""))
  return { ...after, tags: { at: "after", pending: "" }, open: null }
}

const conclude = (turn: ChatTurn): Decoded<ChatTurn> => {
  const said: Array<ModelEvent> = []
  // A stream that was closed properly without a reason: its last call is whole if it looks so.
  const open = turn.open === null ? undefined : turn.calls[turn.open]
  const assumed = open === undefined || !isCut(open.written) ? "stop" : "length"
  const ended = turn.finish === null ? finished({ ...turn, finish: assumed }, said) : turn
  const stopReason = ended.finish ?? assumed
  const calls = ended.calls.length > 0
  const reason: EndReason = ended.refused ? "refusal" : (reasons[stopReason] ?? (calls ? "calls" : "done"))
  said.push({ _tag: "Ended", reason, stopReason, verbatim: null })
  return { turn: { ...ended, over: true }, said, fault: null }
}

/** Reasons after which a call without arguments is whole. */
const endsWhole = new Set(["stop", "tool_calls", "function_call", "end_turn", "eos", "tool_use"])

/** `stop` after calls means calls: many servers say no other word. */
const reasons: { readonly [finish: string]: EndReason } = {
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "filtered",
  safety: "filtered",
  SAFETY: "filtered"
}

const partSaid = ({ kind, text }: TaggedPart): ModelEvent =>
  kind === "ThinkingEnded" ? { _tag: kind } : { _tag: kind, text }

const usageOf = (usage: typeof Usage.Type): ModelUsage => ({
  ...nothingCounted,
  promptTokens: usage.prompt_tokens ?? 0,
  completionTokens: usage.completion_tokens ?? 0,
  cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
  ...cacheWritten(usage.prompt_tokens_details?.cache_write_tokens),
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? null,
  costUsd: usage.cost ?? null
})

const isText = (value: string | null | undefined): value is string =>
  value !== null && value !== undefined && value !== ""
