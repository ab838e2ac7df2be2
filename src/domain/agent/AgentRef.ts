/**
 * One record ("ref") of what happens in an agent's context, in causal order: what it was sent, what it was shown, what it
 * said and did, and why it stopped. Refs never change and each stands once in the log; working memory is a fold of them.
 *
 * Source: reference agent-lifecycle §1.1. What a recorder keeps of a run are agent events; refs are what the runtime
 * itself remembers by.
 */
import { Schema } from "effect"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Why a run ended. */
export const StopReason = Schema.Literals([
  /** Nothing was left to do, or the reply was handed in. */
  "done",
  "step limit",
  /** Of tokens. */
  "budget",
  "aborted",
  "model error",
  "refused",
  /** A hook failed, or something of dd's own. */
  "failed"
])
export type StopReason = typeof StopReason.Type

/** A run in short, made without a model: what was asked, what was done, what came of it. */
export const Episode = Schema.Struct({
  asked: Schema.String,
  /** Names of actions, with how often. */
  did: Schema.Array(Schema.Struct({ name: Schema.String, times: count })),
  came: Schema.String
})
export type Episode = typeof Episode.Type

const words = Schema.Struct({ text: Schema.String, lasting: Schema.Boolean })
/** What a user says, in blocks. */
export type TextBlocks = ReadonlyArray<typeof words.Type>

const part = Schema.Union([
  Schema.TaggedStruct("Text", { text: Schema.String }),
  Schema.TaggedStruct("Call", { id: Schema.NonEmptyString, name: Schema.String, input: Schema.Json })
])

const tokens = Schema.NullOr(Schema.Finite)
const usage = Schema.Struct({
  promptTokens: Schema.Finite,
  cachedTokens: tokens,
  cacheWrittenTokens: Schema.optionalKey(Schema.Finite),
  completionTokens: Schema.Finite,
  reasoningTokens: tokens,
  costUsd: tokens
})

/** `id` is one of the context's own; `at` is UTC, ISO 8601. */
const base = { id: Schema.NonEmptyString, at: Schema.NonEmptyString }

export const AgentRef = Schema.TaggedUnion({
  /** First in every log: whose it is. */
  Context: {
    ...base,
    context: Schema.NonEmptyString,
    type: Schema.String,
    key: Schema.NullOr(Schema.String),
    args: Schema.Json
  },
  Run: base,
  Input: { ...base, type: Schema.String, words: Schema.Array(words) },
  /** The model is about to be shown everything that waited: ids of inputs and events, calls whose results go with them. */
  Step: { ...base, step: count, shows: Schema.Array(Schema.String), last: Schema.Boolean },
  Thought: { ...base, text: Schema.String },
  /** `text` is plain words; any other is a structured answer that its handler took. */
  Output: { ...base, name: Schema.NonEmptyString, content: Schema.Json },
  /** `arguments` as they were written. */
  Call: { ...base, callId: Schema.NonEmptyString, name: Schema.String, arguments: Schema.String },
  /** What the model is told of a call, as it is told it; `fault` is the error's tag where there was one. */
  Result: {
    ...base,
    callId: Schema.NonEmptyString,
    name: Schema.String,
    output: Schema.String,
    isError: Schema.Boolean,
    fault: Schema.NullOr(Schema.String)
  },
  /** Something happened that nobody asked for; the model is told of it where `told`. */
  Event: { ...base, name: Schema.String, text: Schema.String, told: Schema.Boolean },
  /** The model has ended what it said to the last step, which is processed now. */
  Turn: {
    ...base,
    messageId: Schema.String,
    model: Schema.String,
    stopReason: Schema.String,
    parts: Schema.Array(part),
    verbatim: Schema.NullOr(Schema.Json),
    usage: Schema.NullOr(usage)
  },
  RunEnded: {
    ...base,
    run: Schema.String,
    stopReason: StopReason,
    detail: Schema.String,
    steps: count,
    episode: Episode
  }
})
export type AgentRef = typeof AgentRef.Type
export type RefOf<Tag extends AgentRef["_tag"]> = Extract<AgentRef, { readonly _tag: Tag }>
