/**
 * An immutable record ("ref") of one event in an agent's context. The log contains each ref once, in causal order; working
 * memory is a fold of them. Recorders keep agent events instead.
 */
import { Schema } from "effect"
import { ModelUsage } from "./ModelTurn.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const StopReason = Schema.Literals([
  /** Nothing was left to do, or the reply was submitted. */
  "done",
  "step limit",
  /** The token budget is used up. */
  "budget",
  /** The agent repeated itself. */
  "no progress",
  "aborted",
  "model error",
  "refused",
  /** A hook or dd itself failed. */
  "failed"
])
export type StopReason = typeof StopReason.Type

/** A summary of a run, made without a model. */
export const Episode = Schema.Struct({
  asked: Schema.String,
  /** Actions by name, and how often each ran. */
  did: Schema.Array(Schema.Struct({ name: Schema.String, times: count })),
  came: Schema.String
})
export type Episode = typeof Episode.Type

const words = Schema.Struct({ text: Schema.String, lasting: Schema.Boolean })
export type TextBlocks = ReadonlyArray<typeof words.Type>

const part = Schema.Union([
  Schema.TaggedStruct("Text", { text: Schema.String }),
  Schema.TaggedStruct("Call", { id: Schema.NonEmptyString, name: Schema.String, input: Schema.Json })
])

/** `id` is unique in the context; `at` is UTC, ISO 8601. */
const base = { id: Schema.NonEmptyString, at: Schema.NonEmptyString }

export const AgentRef = Schema.TaggedUnion({
  /** The first ref in every log. */
  Context: {
    ...base,
    context: Schema.NonEmptyString,
    type: Schema.String,
    key: Schema.NullOr(Schema.String),
    args: Schema.Json
  },
  Run: base,
  Input: { ...base, type: Schema.String, words: Schema.Array(words) },
  /** A request to the model. `shows`: ids of inputs, events and calls that it sends. */
  Step: { ...base, step: count, shows: Schema.Array(Schema.String), last: Schema.Boolean },
  Thought: { ...base, text: Schema.String },
  /** `name` is `text`, or the name of a structured output that its handler accepted. */
  Output: { ...base, name: Schema.NonEmptyString, content: Schema.Json },
  Call: { ...base, callId: Schema.NonEmptyString, name: Schema.String, arguments: Schema.String },
  /** The result that the model gets; `fault` is the tag of the error, if any. */
  Result: {
    ...base,
    callId: Schema.NonEmptyString,
    name: Schema.String,
    output: Schema.String,
    isError: Schema.Boolean,
    fault: Schema.NullOr(Schema.String)
  },
  /** An event outside the conversation; `isSent`: the model gets it. */
  Event: { ...base, name: Schema.String, text: Schema.String, isSent: Schema.Boolean },
  /** The complete answer to a step. */
  Turn: {
    ...base,
    messageId: Schema.String,
    model: Schema.String,
    stopReason: Schema.String,
    parts: Schema.Array(part),
    verbatim: Schema.NullOr(Schema.Json),
    usage: Schema.NullOr(ModelUsage)
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
