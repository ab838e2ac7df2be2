/**
 * Users' regular expressions by RE2JS, a port of RE2: without backtracking, so that no line makes a pattern slow.
 *
 * Loaded when the first pattern is compiled. Large patterns are refused, and all patterns of an owner share a time
 * limit, so that a repository's rules can add findings but never delay a review.
 */
import { Clock, Effect, Layer } from "effect"
import { longestLine } from "../../../domain/finding/Claims.ts"
import { LinePatterns, PatternInvalid, PatternsTooSlow } from "../../../services/finding/LinePatterns.ts"
import { monotonicMillisUnsafe } from "../../../services/system/monotonicMillis.ts"

/** For all patterns of one owner; an ordinary pattern searches about 50 MB in this time. */
export const allowanceMs = 1_000
/** Instructions of a compiled pattern, and before that the product that bounds them. */
const largestProgram = 1_000
const largestRepeat = 200

export const layer = Layer.effect(
  LinePatterns,
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    // A promise, not a cached effect: the interruption of the first caller must not interrupt the others.
    let engine: Promise<typeof import("re2js")> | null = null
    const loaded = Effect.promise(() => {
      engine ??= import("re2js")
      return engine
    })
    const spent = new Map<string, number>()

    const program = Effect.fnUntraced(function* (pattern: string) {
      const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)]
      const repeated = repeats.reduce((sum, [, least, most]) => sum + Math.max(Number(least), Number(most ?? 0)), 0)
      if (repeated > largestRepeat) {
        return yield* new PatternInvalid({
          reason: `its repetitions {n} add up to more than ${largestRepeat}; use * or +`
        })
      }
      const { RE2JS } = yield* loaded
      const compiled = yield* Effect.try({
        try: () => RE2JS.compile(pattern),
        catch: (cause) => new PatternInvalid({ reason: reasonOf(cause) })
      })
      if (compiled.programSize() > largestProgram) {
        return yield* new PatternInvalid({ reason: "it is too large; simplify it" })
      }
      return compiled
    })

    const compile = Effect.fnUntraced(function* (pattern: string, owner: string) {
      const compiled = yield* program(pattern).pipe(
        Effect.mapError(({ reason }) => new PatternInvalid({ reason: `${reason}${inARule(reason)}` }))
      )
      return (text: string) => {
        const before = spent.get(owner) ?? 0
        if (before > allowanceMs) throw new PatternsTooSlow({ milliseconds: allowanceMs })
        const started = monotonicMillisUnsafe(clock)
        const found = compiled.test(text.length > longestLine ? text.slice(0, longestLine) : text)
        spent.set(owner, before + monotonicMillisUnsafe(clock) - started)
        return found
      }
    })

    const finder = Effect.fnUntraced(function* (pattern: string) {
      const compiled = yield* program(pattern)
      return (text: string) => {
        // A test is ten times as fast as a search for the place.
        if (!compiled.test(text)) return null
        const matcher = compiled.matcher(text)
        return matcher.find() ? { start: matcher.start(), end: matcher.end() } : null
      }
    })

    return LinePatterns.of({ compile, finder })
  })
)

/** RE2 has no lookaround and no backreferences. */
const reasonOf = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : String(cause)
  return `not a regular expression of RE2: ${message}; ${lacks}`
}

const lacks = "it has no lookaround and no backreferences"

/** A rule has `unless` instead. */
const inARule = (reason: string): string => (reason.endsWith(lacks) ? ", use unless for what must be absent" : "")
