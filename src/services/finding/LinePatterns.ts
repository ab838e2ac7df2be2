/**
 * Regular expressions that users wrote, in an engine whose time is linear in the text, whatever the pattern.
 *
 * A port: `layers/finding/patterns/Re2.ts` has the engine. Patterns are searched for, not matched whole.
 */
import { Context, type Effect, Schema } from "effect"

export class PatternInvalid extends Schema.TaggedError<PatternInvalid>()("PatternInvalid", {
  /** The engine's message and how to fix it. */
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** A rule file's patterns took more time than they may; the rest of the review goes on without them. */
export class PatternsTooSlow extends Schema.TaggedError<PatternsTooSlow>()("PatternsTooSlow", {
  milliseconds: Schema.Int
}) {
  override get message() {
    return `the patterns of rule files took more than ${this.milliseconds} ms and were not searched for any further`
  }
}

/** Is the pattern found in the text? Throws `PatternsTooSlow` when the time for all patterns of its owner is used up. */
export type Search = (text: string) => boolean

/** The first place in a text where the pattern is found, from the left; null when there is none. */
export type Find = (text: string) => { readonly start: number; readonly end: number } | null

export class LinePatterns extends Context.Service<
  LinePatterns,
  {
    /** The patterns of one owner share one allowance of time. */
    readonly compile: (pattern: string, owner: string) => Effect.Effect<Search, PatternInvalid>
    /** For who keeps the time himself: no allowance, and whole lines however long. */
    readonly finder: (pattern: string) => Effect.Effect<Find, PatternInvalid>
  }
>()("dd/services/finding/LinePatterns") {}
