/**
 * Regular expressions written by users, in an engine whose time is linear in the text for every pattern.
 *
 * A port: `layers/finding/patterns/Re2.ts` has the engine. Patterns are searched for and may match a part of the text.
 */
import { Context, type Effect, Schema } from "effect"

export class PatternInvalid extends Schema.TaggedError<PatternInvalid>()("PatternInvalid", {
  /** The message of the engine, and a remedy. */
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** The patterns of a rule file took more than their time; the review continues without them. */
export class PatternsTooSlow extends Schema.TaggedError<PatternsTooSlow>()("PatternsTooSlow", {
  milliseconds: Schema.Int
}) {
  override get message() {
    return `the patterns of rule files took more than ${this.milliseconds} ms and were stopped`
  }
}

/**
 * Whether the pattern is found in the text. Throws `PatternsTooSlow` if the time for all patterns of its owner is used
 * up.
 */
export type Search = (text: string) => boolean

/** The first match in a text; null if there is none. */
export type Find = (text: string) => { readonly start: number; readonly end: number } | null

export class LinePatterns extends Context.Service<
  LinePatterns,
  {
    /** The patterns of one owner share a time limit. */
    readonly compile: (pattern: string, owner: string) => Effect.Effect<Search, PatternInvalid>
    /** Without a time limit, and for lines of any length: the caller limits the time. */
    readonly finder: (pattern: string) => Effect.Effect<Find, PatternInvalid>
  }
>()("dd/services/finding/LinePatterns") {}
