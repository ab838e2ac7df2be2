/** What the fix half of a review did: outcomes, tests, and where the fixes are. */
import { Schema } from "effect"
import type { Setting } from "../run/Setting.ts"
import type { Attendance, Comparison } from "./Heal.ts"
import { isFixed, type Outcome } from "./Outcome.ts"
import type { QualityWarning } from "./quality.ts"
import type { TestCommand } from "./TestCommand.ts"
import type { TestResult } from "./TestResult.ts"

/** What the user wants done with the findings. */
export interface FixWish {
  readonly attendance: Attendance
  /** Are applied fixes committed? */
  readonly commits: boolean
  /** The command of the tests; null: found in the project. */
  readonly testCommand: Setting<string | null>
}

/**
 * `none`: there is nothing to apply. `recommended`: in `recommended.patch` only. `applied`: also in the working tree.
 * `refused`: applying failed, and the working tree is as it was.
 */
export const PatchState = Schema.Literals(["none", "recommended", "applied", "refused"])
export type PatchState = typeof PatchState.Type

export interface TestReport {
  readonly command: TestCommand | null
  /** Null: the tests did not run. */
  readonly baseline: TestResult | null
  readonly after: TestResult | null
  readonly comparison: Comparison
  /** How often a fix was repeated because of the tests. */
  readonly heals: number
  /** Why the tests did not run; "" if they did. */
  readonly reason: string
}

export interface FixReport {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly rounds: number
  readonly tests: TestReport | null
  readonly patch: PatchState
  /** Files that the patch changes. */
  readonly files: ReadonlyArray<string>
  /** Is the patch in `recommended.patch`? */
  readonly isStored: boolean
  /** Files that agents changed beside those to fix, and that were taken back. */
  readonly outside: ReadonlyArray<string>
  readonly quality: ReadonlyArray<QualityWarning>
  /** Why the fixes are where they are; "" if they were applied. */
  readonly detail: string
  /** The commit of the fixes; null if there is none. */
  readonly commit: string | null
}

/** Findings that are fixed in the working tree. */
export const fixedIds = (fix: FixReport | null): ReadonlySet<number> =>
  new Set(fix?.patch === "applied" ? fix.outcomes.flatMap((each) => (isFixed(each) ? [each.id] : [])) : [])

export const noFixes: FixReport = {
  outcomes: [],
  rounds: 0,
  tests: null,
  patch: "none",
  files: [],
  isStored: false,
  outside: [],
  quality: [],
  detail: "",
  commit: null
}
