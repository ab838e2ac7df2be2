/** What the steps of one review have found so far. A value: each step gets it and gives back the next one. */

import type { Change } from "../change/Change.ts"
import type { FileCoverage } from "../change/Coverage.ts"
import { type Exploration, nothingExplored } from "../code/Exploration.ts"
import type { Stack } from "../code/Stack.ts"
import type { Alternative } from "../finding/Alternative.ts"
import type { Dropped } from "../finding/Finding.ts"
import type { MergedItem } from "../finding/MergedItem.ts"
import type { StackRecords, StackReport } from "../finding/StackReport.ts"
import type { Phase } from "./BackendChoice.ts"
import type { ExtensionStop } from "./Extension.ts"

/** Where a deep review takes up an earlier one, by the words of `--start-at` (reference §1.2). */
export const startPoints = ["review", "ttt", "per-stack", "merge", "fix"] as const
export type StartAt = (typeof startPoints)[number]

/** Who reviews what, settled before any agent runs. */
export interface ReviewPlan {
  /** In the order of their reviews; `structure` last. */
  readonly stacks: ReadonlyArray<Stack>
  /** A change so small that arbiter and merge are left out (reference §2.5). */
  readonly single: boolean
  /** The phases in which agents are called. */
  readonly phases: ReadonlyArray<Phase>
  readonly agentsPlanned: number
}

export interface RunState {
  readonly flow: string
  readonly change: Change
  readonly plan: ReviewPlan
  readonly startAt: StartAt
  /** Fingerprints of the baseline. */
  readonly known: ReadonlySet<string>
  /** Where the findings are still to be written; null when nobody asked, or once they are. */
  readonly findingsOut: string | null
  /** The pass of the loop group the run is in, from 1; null outside one. */
  readonly iteration: number | null
  readonly exploration: Exploration
  readonly intent: string
  readonly alternatives: ReadonlyArray<Alternative>
  /** Reviews that are still to be parsed. */
  readonly reports: ReadonlyArray<StackReport>
  readonly records: ReadonlyArray<StackRecords>
  /** Stack name to what went wrong with its review or its parse. */
  readonly failures: Readonly<Record<string, string>>
  readonly items: ReadonlyArray<MergedItem>
  /** How many entries of `records` are in `items`; fewer than all after a late claim. */
  readonly merged: number
  /** Stacks whose records the arbiter of the resumed review has decided on: it is not asked again. */
  readonly arbitrated: ReadonlySet<string>
  /** What the arbiter dropped. */
  readonly dropped: ReadonlyArray<Dropped>
  /** What the evidence gate dropped, the last time everything was merged. */
  readonly refused: ReadonlyArray<Dropped>
  /** The coverage that reviewers reported for their files, after parsing; input of the ledger. */
  readonly coverage: ReadonlyArray<FileCoverage>
  /** Who reviewed the files in `coverage`, also in the resumed review. */
  readonly reviewers: ReadonlyArray<string>
  /** What was not reviewed, also in the resumed review. */
  readonly omitted: ReadonlyArray<string>
  /** Did the budget stop the resumed review? */
  readonly stopped: boolean
  /** The step of an extension that ended the flow. */
  readonly endedBy: ExtensionStop | null
  /** Ids of the rules that were applied in this run; empty when no rule ran or its reviews were taken up. */
  readonly rules: ReadonlySet<string>
}

export const begin = (
  start: Pick<RunState, "flow" | "change" | "plan" | "startAt" | "findingsOut" | "known">
): RunState => ({
  ...start,
  iteration: null,
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
  coverage: [],
  reviewers: [],
  omitted: [],
  stopped: false,
  endedBy: null,
  rules: new Set()
})

/** A review that takes up an earlier one has its intent and alternatives already. */
export const isFresh = (state: RunState): boolean => state.startAt === "review" || state.startAt === "ttt"
