/**
 * The events of a backend while it works on a task, in order.
 *
 * `promptTokens` includes cached tokens, completion tokens include reasoning. Consecutive `Metrics` of one message are
 * updates. `Text` arrives in pieces to be joined unchanged, `Thinking` in complete blocks. Every stream ends with exactly
 * one `Result`, or fails.
 *
 * If the usage is not known before the end of a turn, the turn starts with `Metrics` with null values and a `messageId` of
 * "": if the turn is cut off, its cost is unknown. The next `Metrics` replace them.
 */
import { Option, Schema } from "effect"
import { SeenLines } from "../change/SeenLines.ts"

/** UTC, ISO 8601, with `Z`. */
const timestamp = Schema.NonEmptyString
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * The source of `costUsd`; absent: `reported` by the provider. `provisional`: computed, until a closing `Cost` reports the
 * cost of all turns.
 */
const costSource = Schema.optionalKey(Schema.Literals(["reported", "computed", "provisional"]))

/** A block of a prompt. The record contains the text once, and its digest wherever it is sent again. */
const PromptBlock = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  sha256: Schema.optionalKey(Schema.String)
})
export type PromptBlock = typeof PromptBlock.Type

const ShownLines = Schema.Array(SeenLines)
const decodeShown = Schema.decodeUnknownOption(ShownLines)

/** Reads the lines in a trajectory; null if there are none. */
export const shownLines = (kept: unknown): typeof ShownLines.Type | null => Option.getOrNull(decodeShown(kept))

export const AgentEvent = Schema.TaggedUnion({
  /** The lines of the change in a reviewer's prompt. The events of this reviewer follow it. */
  Shown: { timestamp, lines: ShownLines },
  /**
   * The prompt as it is sent to the model: at the start of a call, and whenever more than the results of tools is sent.
   * `continues`: it continues the conversation of the task's last call.
   */
  Prompted: {
    timestamp,
    backend: Schema.String,
    continues: Schema.Boolean,
    system: Schema.Array(PromptBlock),
    user: Schema.Array(PromptBlock)
  },
  Text: { timestamp, text: Schema.String },
  Thinking: { timestamp, text: Schema.String },
  ToolStart: { timestamp, id: Schema.NonEmptyString, name: Schema.NonEmptyString, input: Schema.Json },
  ToolResult: { timestamp, id: Schema.NonEmptyString, output: Schema.String, isError: Schema.Boolean },
  Metrics: {
    timestamp,
    messageId: Schema.String,
    promptTokens: Schema.NullOr(count),
    completionTokens: Schema.NullOr(count),
    cachedTokens: Schema.NullOr(count),
    /** Prompt tokens written to a cache, without the cached ones; absent if not reported. */
    cacheWrittenTokens: Schema.optionalKey(count),
    reasoningTokens: Schema.NullOr(count),
    costUsd: Schema.NullOr(dollars),
    costSource,
    model: Schema.NullOr(Schema.String)
  },
  Cost: {
    timestamp,
    costUsd: Schema.NullOr(dollars),
    costSource,
    promptTokens: Schema.NullOr(count),
    completionTokens: Schema.NullOr(count),
    cachedTokens: Schema.NullOr(count),
    reasoningTokens: Schema.NullOr(count),
    model: Schema.NullOr(Schema.String)
  },
  /** `stopReason` as the provider names it: `end_turn`, `tool_use`, `max_tokens`. */
  TurnEnd: { timestamp, messageId: Schema.String, stopReason: Schema.optionalKey(Schema.String) },
  /** `output` is the structured reply, not yet checked against the task; null if the reply is only in the text. */
  Result: { timestamp, output: Schema.NullOr(Schema.Json) }
})
export type AgentEvent = typeof AgentEvent.Type

/** The event for the prompt at the start of a call. */
export const promptedOf = (
  backend: string,
  timestamp: string,
  prompt: { readonly system: ReadonlyArray<string>; readonly user: ReadonlyArray<string> },
  continues = false
): AgentEvent =>
  AgentEvent.make({
    _tag: "Prompted",
    timestamp,
    backend,
    continues,
    system: prompt.system.map((text) => ({ text })),
    user: prompt.user.map((text) => ({ text }))
  })
