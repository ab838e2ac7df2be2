/** The state of a review between steps, immutable: each step gets it and returns the next one. */

import type { Brief } from "../brief/Brief.ts"
import type { Change } from "../change/Change.ts"
import type { FileCoverage } from "../change/Coverage.ts"
import { type Exploration, nothingExplored } from "../code/Exploration.ts"
import type { Alternative } from "../finding/Alternative.ts"
import type { Dropped } from "../finding/Finding.ts"
import type { MergedItem } from "../finding/MergedItem.ts"
import type { StackRecords, StackReport } from "../finding/StackReport.ts"
import type { Verdicts } from "../finding/Verdict.ts"
import type { FixReport, FixWish } from "../fix/FixReport.ts"
import type { Proof, ProofWish } from "../prove/Proof.ts"
import type { ExtensionStop } from "../run/Extension.ts"
import type { ReviewPlan, StartAt } from "../run/ReviewPlan.ts"
import type { Feedback } from "./Feedback.ts"
import type { Loop } from "./Loop.ts"

export interface RunState {
  readonly flow: string
  readonly change: Change
  readonly plan: ReviewPlan
  readonly startAt: StartAt
  /** Fingerprints of the baseline. */
  readonly known: ReadonlySet<string>
  /** The path to write the findings to; null if there is none, or they are written already. */
  readonly findingsOut: string | null
  /** The pass of `--loop`; null without it. */
  readonly loop: Loop | null
  /** The current pass of the loop group, from 1; null outside of a loop group. */
  readonly iteration: number | null
  /** Is a brief wanted, for the report or for models? */
  readonly wantsBrief: boolean
  /** Null: not wanted, or not made yet. */
  readonly brief: Brief | null
  readonly exploration: Exploration
  readonly intent: string
  readonly alternatives: ReadonlyArray<Alternative>
  /** Reviews that are not parsed yet. */
  readonly reports: ReadonlyArray<StackReport>
  readonly records: ReadonlyArray<StackRecords>
  /** The errors of reviews and of their parsing, by stack. */
  readonly failures: Readonly<Record<string, string>>
  readonly items: ReadonlyArray<MergedItem>
  /** The number of `records` merged into `items`; fewer than all after a late claim. */
  readonly merged: number
  /** Stacks whose records the arbiter of the resumed review has judged: it is not called again. */
  readonly arbitrated: ReadonlySet<string>
  /** Records that the arbiter dropped. */
  readonly dropped: ReadonlyArray<Dropped>
  /** Items that the evidence gate dropped in the last merge. */
  readonly refused: ReadonlyArray<Dropped>
  /** The coverage that reviewers reported for their files, after parsing; input of the ledger. */
  readonly coverage: ReadonlyArray<FileCoverage>
  /** The backends that reviewed the files in `coverage`, also in the resumed review. */
  readonly reviewers: ReadonlyArray<string>
  /** What was not reviewed, also in the resumed review. */
  readonly omitted: ReadonlyArray<string>
  /** Did the resumed review stop at its budget? */
  readonly stopped: boolean
  readonly verdicts: Verdicts
  /** What the user wants done with the findings; null: they are only reported. */
  readonly fixing: FixWish | null
  /** What was done; null if the fix half did not begin. */
  readonly fix: FixReport | null
  /** What is to be run of the project; null: nothing. */
  readonly proving: ProofWish | null
  /** What was run; null: nothing. */
  readonly proof: Proof | null
  /** The comments that `dd feedback` works on; null in a review. */
  readonly feedback: Feedback | null
  /** The step of an extension that ended the flow. */
  readonly endedBy: ExtensionStop | null
  /** Ids of the rules that were applied in this run; empty if no rule ran or the reviews are those of an earlier run. */
  readonly rules: ReadonlySet<string>
}

export const begin = (
  start: Pick<
    RunState,
    | "flow"
    | "change"
    | "plan"
    | "startAt"
    | "findingsOut"
    | "known"
    | "wantsBrief"
    | "fixing"
    | "proving"
    | "loop"
    | "feedback"
  >
): RunState => ({
  ...start,
  iteration: null,
  brief: null,
  exploration: nothingExplored,
  intent: "",
  alternatives: [],
  reports: [],
  records: [],
  failures: {},
  items: [],
  merged: 0,
  arbitrated: new Set(),
  dropped: [],
  refused: [],
  verdicts: new Map(),
  coverage: [],
  reviewers: [],
  omitted: [],
  stopped: false,
  fix: null,
  proof: null,
  endedBy: null,
  rules: new Set()
})

/** Does the review need an intent and alternatives? A resumed review has them already. */
export const isFresh = (state: RunState): boolean => state.startAt === "review"
