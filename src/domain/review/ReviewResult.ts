/** What one review came to: everything a renderer may show, and nothing it must compute. */

import type { Cost } from "../agent/RunCost.ts"
import type { Coverage } from "../change/Coverage.ts"
import type { Degraded } from "../change/Degraded.ts"
import type { Dropped, Finding, Suppressed } from "../finding/Finding.ts"

export interface RunInfo {
  readonly sessionId: string
  readonly flow: string
  readonly backend: string
  /** Who reviewed files, by name and model; differs from `backend` when an earlier review is resumed. */
  readonly reviewedBy: ReadonlyArray<string>
  readonly base: string
  readonly head: string
  /** UTC, ISO 8601. */
  readonly startedAt: string
  readonly durationMs: number
  /** What was reviewed, in words. */
  readonly description: string
}

export interface ReviewResult {
  readonly run: RunInfo
  /** partial: some of it could not be reviewed; inconclusive: no verdict can be given. */
  readonly status: "complete" | "partial" | "inconclusive"
  readonly findings: ReadonlyArray<Finding>
  readonly dropped: ReadonlyArray<Dropped>
  readonly suppressed: ReadonlyArray<Suppressed>
  readonly degraded: ReadonlyArray<Degraded>
  readonly coverage: Coverage
  readonly stacks: ReadonlyArray<string>
  readonly agentsPlanned: number
  readonly cost: Cost
  /** Sentences the reader should know: what kind of review it was, what is not in this build. */
  readonly notes: ReadonlyArray<string>
  /** Number of static rules that were applied; 0 when none were, or when the reviews were taken up from an earlier run. */
  readonly rulesApplied: number
}

/** Source lines around a finding, for renderers that show code: path to head-side lines. Absent: no code is shown. */
export type SourceLines = ReadonlyMap<string, ReadonlyArray<string>>
