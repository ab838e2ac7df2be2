/** What dd's own rules find beside a model, as a test says it: nothing, unless told. */
import { Effect, Layer } from "effect"
import type { ReviewRecord } from "../../src/domain/finding/Finding.ts"
import { StaticReviews } from "../../src/services/agent/StaticReviews.ts"

/** `found`: records by the name of a stack. Every file was looked at, and every record's rule applied. */
export const staticReviews = (found: Readonly<Record<string, ReadonlyArray<ReviewRecord>>> = {}) =>
  Layer.succeed(
    StaticReviews,
    StaticReviews.of({
      review: (_, stack) => {
        const records = found[stack.name] ?? []
        return Effect.succeed({
          records,
          coverage: stack.files.map((path) => ({ path, status: "reviewed", reason: "" })),
          rulesApplied: records.flatMap(({ rule }) => (rule === undefined ? [] : [rule])),
          omitted: []
        })
      }
    })
  )
