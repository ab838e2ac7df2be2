import type { FileCoverage } from "../change/Coverage.ts"
import type { Stack } from "../code/Stack.ts"
import type { ReviewRecord } from "./Finding.ts"

/** What a stack's reviewer came back with, as the parse step takes it. */
export interface StackReport {
  readonly stack: Stack
  /** Who answered; empty when only rules were applied. */
  readonly by: ReadonlyArray<string>
  readonly review: string
  readonly records: ReadonlyArray<ReviewRecord> | null
  /** What dd's own rules found beside a model; empty where the reviewer itself is made of rules. */
  readonly proven: ReadonlyArray<ReviewRecord>
  readonly coverage: ReadonlyArray<FileCoverage>
  /** Files of a review in prose: the parse agent finds out which of them it covers. */
  readonly inProse: ReadonlyArray<string>
  /** Ids of the rules that were applied. */
  readonly rules: ReadonlyArray<string>
  /** What was not looked at, in sentences for the reader. */
  readonly omitted: ReadonlyArray<string>
}

/** The records of one stack, once parsed. */
export interface StackRecords {
  readonly stack: Stack
  readonly records: ReadonlyArray<ReviewRecord>
}
