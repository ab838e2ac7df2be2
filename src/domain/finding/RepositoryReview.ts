/** What one check of a change in its whole repository found. */
import type { ReviewRecord } from "./Finding.ts"

export interface RepositoryReview {
  /** By path and line, not numbered. */
  readonly records: ReadonlyArray<ReviewRecord>
  /** Ids of the rules that were applied. */
  readonly rulesApplied: ReadonlyArray<string>
  /** What was not checked, for the reader. */
  readonly omitted: ReadonlyArray<string>
}

export const nothingReviewed: RepositoryReview = { records: [], rulesApplied: [], omitted: [] }
