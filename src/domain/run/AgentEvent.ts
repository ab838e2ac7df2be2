/**
 * The events of a backend while it works on a task, in order. Source: seed 000 "Trajectory recording",
 * reference §4.1. `promptTokens` is the total including cache; cached is a subset of it, reasoning a
 * subset of completion; `Metrics` that name one message twice in a row measure it again. `Text` comes in pieces that are
 * joined as they are, `Thinking` in whole blocks. Every stream ends with exactly one `Result`, or fails.
 *
 * A backend whose usage is not known before its turn ends begins the turn with `Metrics` in which everything is null and
 * `messageId` is "": a turn that is cut off there has an unknown cost. The next `Metrics` replaces it.
 */
import { Option, Schema } from "effect"

/** UTC, ISO 8601, with `Z`. */
const timestamp = Schema.NonEmptyString
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Where `costUsd` comes from; absent: `reported` by the provider. `provisional`: computed, until a closing `Cost`
 * reports the cost of all turns.
 */
const costSource = Schema.optionalKey(Schema.Literals(["reported", "computed", "provisional"]))

/** A piece of a prompt. The record holds the text once, and its digest wherever it is sent again. */
const PromptBlock = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  sha256: Schema.optionalKey(Schema.String)
})
export type PromptBlock = typeof PromptBlock.Type

const ShownLines = Schema.Array(
  Schema.Struct({ path: Schema.String, side: Schema.Literals(["head", "base"]), from: count, to: count })
)
const decodeShown = Schema.decodeUnknownOption(ShownLines)

/** Reads the lines that a trajectory keeps; null when there are none. */
export const shownLines = (kept: unknown): typeof ShownLines.Type | null => Option.getOrNull(decodeShown(kept))

export const AgentEvent = Schema.TaggedUnion({
  /** The lines of the change that a reviewer's prompt shows. Events after it are this reviewer's, those before are not. */
  Shown: { timestamp, lines: ShownLines },
  /**
   * The prompt as it is sent to the model: when a call begins, and whenever more is sent than results of
   * tools. `continues`: it continues the conversation of the task's last call.
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
    /** Written to a cache, where that is told: another part of the prompt. */
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
  /** `stopReason` in the model's own words: `end_turn`, `tool_use`, `max_tokens`. */
  TurnEnd: { timestamp, messageId: Schema.String, stopReason: Schema.optionalKey(Schema.String) },
  /** `output` is the structured reply, not yet checked against the task; null when the reply is only in the text. */
  Result: { timestamp, output: Schema.NullOr(Schema.Json) }
})
export type AgentEvent = typeof AgentEvent.Type

/** The event for what a backend is sent at the beginning of a call. */
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
