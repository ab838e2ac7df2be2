import type { FileCoverage } from "../change/Coverage.ts"
import type { Stack } from "../code/Stack.ts"
import type { ReviewRecord } from "./Finding.ts"

/** The answer of a stack's reviewer, before it is parsed. */
export interface StackReport {
  readonly stack: Stack
  /** The backends that answered; empty if only rules were applied. */
  readonly by: ReadonlyArray<string>
  readonly review: string
  readonly records: ReadonlyArray<ReviewRecord> | null
  /** The findings of dd's own rules in a review by a model; empty if only rules review. */
  readonly proven: ReadonlyArray<ReviewRecord>
  readonly coverage: ReadonlyArray<FileCoverage>
  /** Files of a review in prose: the parse agent determines which of them it covers. */
  readonly inProse: ReadonlyArray<string>
  /** Ids of the rules that were applied. */
  readonly rules: ReadonlyArray<string>
  /** Sentences about what was not checked. */
  readonly omitted: ReadonlyArray<string>
}

/** The parsed records of one stack. */
export interface StackRecords {
  readonly stack: Stack
  readonly records: ReadonlyArray<ReviewRecord>
}
