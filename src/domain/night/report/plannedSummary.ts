/** The report of a night at its beginning, and how steps and the end change it. */
import type { Awake } from "../Awake.ts"
import { goDuration } from "../goDuration.ts"
import { type IterationSummary, type Step, type Summary, type SummaryFields, spanOf } from "../Summary.ts"
import { checkFlagged, flaggedNotes, flaggedOf, rollbackOf } from "./flagged.ts"

export interface Plan {
  readonly run: string
  readonly repoRoot: string
  readonly outputDir: string
  readonly goal: string
  readonly requestedTimeout: string
  /** In milliseconds. */
  readonly timeout: number
  readonly keepAwake: boolean
  readonly awake: Awake
  readonly lockPath: string
  readonly logPath: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly runners: ReadonlyArray<string>
  readonly artifacts: Readonly<Record<string, string>>
}

/** What dd adds to the report, before anything is known. */
export const nothingLearned: NonNullable<SummaryFields["dd"]> = {
  halt_kind: null,
  budget_exhausted: false,
  generation_before: 0,
  generation_after: 0,
  gate_set: null,
  throughput_stalled: false,
  sealed_looks: 0,
  notes: []
}

export const plannedSummary = (plan: Plan): SummaryFields => ({
  mode: "dream.local-bedtime",
  run_id: plan.run,
  goal: plan.goal,
  repo_root: plan.repoRoot,
  output_dir: plan.outputDir,
  status: "planned",
  dry_run: false,
  ...spanOf(plan.at, plan.at),
  runtime: {
    keep_awake: plan.keepAwake,
    keep_awake_mode: plan.awake.mode,
    ...(plan.awake.note === null ? {} : { keep_awake_note: plan.awake.note }),
    requested_timeout: plan.requestedTimeout,
    effective_timeout: goDuration(plan.timeout),
    lock_path: plan.lockPath,
    log_path: plan.logPath,
    process_contract_doc: "docs/night.md",
    report_contract_doc: "docs/night.md"
  },
  steps: [
    ...["close-loop", "metrics-health", "retrieval-live"],
    ...(plan.goal === "" ? [] : ["knowledge-brief"]),
    "morning-packets",
    ...(plan.runners.length === 0
      ? []
      : ["council-packet", ...plan.runners.map((runner) => `council-${runner}`), "council-synthesis"])
  ].map((name) => ({ name, status: "pending" })),
  artifacts: plan.artifacts,
  recommended: ["dd dream report"],
  next_action: "Wait for the end of the night.",
  dd: nothingLearned
})

/** Replaces the step of this name, or adds it. */
export const withStep = (fields: SummaryFields, step: Step): SummaryFields => ({
  ...fields,
  steps: fields.steps.some(({ name }) => name === step.name)
    ? fields.steps.map((each) => (each.name === step.name ? step : each))
    : [...fields.steps, step]
})

export const withDegraded = <A extends SummaryFields>(fields: A, lines: ReadonlyArray<string>): A =>
  lines.length === 0 ? fields : { ...fields, degraded: [...new Set([...(fields.degraded ?? []), ...lines])] }

export const withNotes = (fields: SummaryFields, lines: ReadonlyArray<string>): SummaryFields =>
  fields.dd === undefined ? fields : { ...fields, dd: { ...fields.dd, notes: [...fields.dd.notes, ...lines] } }

/** A night that failed or was stopped: what did not run is skipped, and the last step that did is named. */
export const failedSummary = (fields: SummaryFields, reason: string, isInterrupted: boolean): SummaryFields => {
  const last = fields.steps.findLast(({ status }) => status !== "pending")
  return withDegraded(
    {
      ...fields,
      status: "failed",
      steps: fields.steps.map((step) => (step.status === "pending" ? { ...step, status: "skipped" } : step)),
      failure_reason: reason,
      ...afterFailure(fields, "Read what failed, then run `dd dream start` again"),
      ...(fields.dd === undefined || !isInterrupted ? {} : { dd: { ...fields.dd, halt_kind: "interrupted" } })
    },
    [`${isInterrupted ? "interrupted" : "failed"} after ${last === undefined ? "the start" : last.name}: ${reason}`]
  )
}

/** What there is to do after a night that failed. */
export const afterFailure = (fields: SummaryFields, move: string): Pick<Summary, "next_action" | "recommended"> => {
  const flagged = flaggedOf(fields.iterations)
  const again = ["dd dream start", "dd dream report"]
  return flagged === null
    ? { next_action: `${move}; ${committedWords(fields)}.`, recommended: again }
    : { next_action: checkFlagged(flagged), recommended: [rollbackOf(flagged), ...again] }
}

/** What counts after it. */
const committedWords = ({ iterations = [] }: SummaryFields): string => {
  const number = committedBy(iterations).at(-1)
  return number === undefined ? "nothing was changed" : `generation ${number}, which the night committed, counts`
}

const committedBy = (iterations: ReadonlyArray<IterationSummary>): ReadonlyArray<number> =>
  iterations.flatMap(({ dd }) => dd?.generation ?? [])

/** With the iterations on disk, of which memory may lack the last, and with what they did to the corpus. */
export const withIterations = <A extends SummaryFields>(fields: A, kept: ReadonlyArray<IterationSummary>): A => {
  const iterations = kept.length > (fields.iterations?.length ?? 0) ? kept : fields.iterations
  const [first, ...more] = committedBy(iterations ?? [])
  return {
    ...withDegraded(fields, flaggedNotes(iterations ?? [])),
    ...(iterations !== undefined && { iterations }),
    ...(fields.dd !== undefined &&
      first !== undefined && {
        dd: { ...fields.dd, generation_before: first - 1, generation_after: more.at(-1) ?? first }
      })
  }
}
