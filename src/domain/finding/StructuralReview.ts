/** What one look at a change in its whole repository comes to. */
import type { ReviewRecord } from "./Finding.ts"

export interface StructuralReview {
  /** By path and line, numbered from 1. */
  readonly records: ReadonlyArray<ReviewRecord>
  /** Ids of the rules that were applied. */
  readonly rulesApplied: ReadonlyArray<string>
  /** What was not looked at, for the reader. */
  readonly omitted: ReadonlyArray<string>
}

export const nothingReviewed: StructuralReview = { records: [], rulesApplied: [], omitted: [] }
