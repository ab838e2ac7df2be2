/** The result of one check of the change in its repository. */
import type { ReviewRecord } from "./Finding.ts"

export interface RepositoryReview {
  /** Sorted by path and line, not numbered. */
  readonly records: ReadonlyArray<ReviewRecord>
  /** Ids of the rules that were applied. */
  readonly rulesApplied: ReadonlyArray<string>
  /** What was not checked, for the reader. */
  readonly omitted: ReadonlyArray<string>
}

export const nothingReviewed: RepositoryReview = { records: [], rulesApplied: [], omitted: [] }
