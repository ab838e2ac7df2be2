/** The result of a review, with everything that renderers show. */

import type { Cost, CostLimit } from "../agent/RunCost.ts"
import type { Brief } from "../brief/Brief.ts"
import type { Coverage } from "../change/Coverage.ts"
import type { Degraded } from "../change/Degraded.ts"
import type { Dropped, Finding, Suppressed } from "../finding/Finding.ts"
import type { FixReport } from "../fix/FixReport.ts"
import type { Feedback } from "./Feedback.ts"
import type { Pass } from "./Pass.ts"

export interface RunInfo {
  readonly sessionId: string
  readonly flow: string
  readonly backend: string
  /** The backends that reviewed files, with their models; differs from `backend` if an earlier review is resumed. */
  readonly reviewedBy: ReadonlyArray<string>
  readonly base: string
  readonly head: string
  /** UTC, ISO 8601. */
  readonly startedAt: string
  readonly durationMs: number
  /** The description of the change. */
  readonly description: string
}

export interface ReviewResult {
  readonly run: RunInfo
  /** partial: a part could not be reviewed; inconclusive: no verdict is possible. */
  readonly status: "complete" | "partial" | "inconclusive"
  readonly findings: ReadonlyArray<Finding>
  /** What was done about the findings; null if the fix half did not run. */
  readonly fix: FixReport | null
  /** With `--loop`, what each pass did, this one included; else empty. */
  readonly passes: ReadonlyArray<Pass>
  /** What `dd feedback` read, pushed and answered; null in a review. */
  readonly feedback: Feedback | null
  readonly dropped: ReadonlyArray<Dropped>
  readonly suppressed: ReadonlyArray<Suppressed>
  readonly degraded: ReadonlyArray<Degraded>
  readonly coverage: Coverage
  /** What the change does; null if it was not wanted. */
  readonly brief: Brief | null
  readonly stacks: ReadonlyArray<string>
  readonly agentsPlanned: number
  readonly cost: Cost
  /** Null without a model, and if the cost is not limited. */
  readonly limit: (CostLimit & { readonly isReached: boolean; readonly hasHurried: boolean }) | null
  /** Sentences for the user: the kind of review, what is not in this build. */
  readonly notes: ReadonlyArray<string>
  /** The number of static rules that were applied; 0 if none were, or the reviews are those of an earlier run. */
  readonly rulesApplied: number
}

/** Head-side lines by path, for renderers that show code. Absent: no code is shown. */
export type SourceLines = ReadonlyMap<string, ReadonlyArray<string>>

/** How a note begins that limits the result. */
export const notCheckedStart = "Not checked: "
