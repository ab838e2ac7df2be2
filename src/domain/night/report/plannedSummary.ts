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
  /** "" if there is none. */
  readonly contractPath: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly runners: ReadonlyArray<string>
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
    keep_awake: plan.keepAwake && plan.awake.mode !== "disabled",
    keep_awake_mode: plan.awake.mode,
    ...(plan.awake.note === null ? {} : { keep_awake_note: plan.awake.note }),
    requested_timeout: plan.requestedTimeout,
    effective_timeout: goDuration(plan.timeout),
    lock_path: plan.lockPath,
    log_path: plan.logPath,
    process_contract_doc: plan.contractPath,
    report_contract_doc: plan.contractPath
  },
  steps: [
    ...["close-loop", "metrics-health", "retrieval-live"],
    ...(plan.goal === "" ? [] : ["knowledge-brief"]),
    "morning-packets",
    ...(plan.runners.length === 0
      ? []
      : ["council-packet", ...plan.runners.map((runner) => `council-${runner}`), "council-synthesis"])
  ].map((name) => ({ name, status: "pending" })),
  artifacts: {},
  recommended: ["dd dream report"],
  next_action: "Wait for the end of the night.",
  dd: nothingLearned
})

/** The note of a pending step that has begun. */
export const underWay = "under way"

const isUnderWay = ({ note, status }: Step): boolean => status === "pending" && note === underWay

/** In the place that the plan gave it; one that was not planned comes after the last one that ended. */
export const withStep = <A extends SummaryFields>(fields: A, step: Step): A => {
  const { steps } = fields
  const place = steps.findIndex(({ name }) => name === step.name)
  if (place >= 0) return { ...fields, steps: steps.with(place, step) }
  return { ...fields, steps: steps.toSpliced(steps.findLastIndex(({ status }) => status !== "pending") + 1, 0, step) }
}

export const withDegraded = <A extends SummaryFields>(fields: A, lines: ReadonlyArray<string>): A =>
  lines.length === 0 ? fields : { ...fields, degraded: [...new Set([...(fields.degraded ?? []), ...lines])] }

export const withNotes = (fields: SummaryFields, lines: ReadonlyArray<string>): SummaryFields =>
  fields.dd === undefined ? fields : { ...fields, dd: { ...fields.dd, notes: [...fields.dd.notes, ...lines] } }

/** A night that did not end as planned: what did not run is skipped, and where it stopped is named. */
export const failedSummary = <A extends SummaryFields>(
  fields: A,
  reason: string,
  how: "failed" | "interrupted" | "killed",
  remedy: string | null = null
): A => {
  const last = fields.steps.findLast(({ status }) => status !== "pending")
  const current = fields.steps.filter(isUnderWay).map(({ name }) => name)
  const place = [
    ...(current.length === 0 ? [] : [`in ${current.join(", ")}`]),
    `after ${last === undefined ? "the start" : last.name}`
  ].join(", ")
  const again = `${how === "failed" ? "Read what failed, then run" : "Run"} \`dd dream start\` again`
  const todo = remedy === null ? afterFailure(fields, again) : remedied(remedy)
  const steps = fields.steps.map((step): Step => {
    if (isUnderWay(step)) return { ...step, status: "failed", note: `${how} before it ended` }
    return step.status === "pending" ? { ...step, status: "skipped" } : step
  })
  const changed: Partial<SummaryFields> = {
    ...{ status: "failed", steps, failure_reason: reason, ...todo },
    ...(fields.dreamscape === undefined ? {} : { dreamscape: { ...fields.dreamscape, first_move: todo.next_action } }),
    ...(fields.dd === undefined || how !== "interrupted" ? {} : { dd: { ...fields.dd, halt_kind: "interrupted" } })
  }
  return withDegraded({ ...fields, ...changed }, [`${how} ${place}: ${reason}`])
}

/** What a report needs at least, for a disk that has no room for more. */
export const withoutDetails = (fields: SummaryFields): SummaryFields => {
  const { briefing, close_loop, council, iterations, metrics_health, morning_packets, retrieval_live, ...short } =
    fields
  return short
}

/** What has to be done before another night can end better. */
const remedied = (remedy: string): Pick<Summary, "next_action" | "recommended"> => ({
  next_action: remedy,
  recommended: [...[...remedy.matchAll(/`(dd [^`]+)`/g)].flatMap(([, command]) => command ?? []), "dd dream report"]
})

/** What there is to do after a night that failed. */
const afterFailure = (fields: SummaryFields, move: string): Pick<Summary, "next_action" | "recommended"> => {
  const flagged = flaggedOf(fields.iterations)
  const packets = (fields.morning_packets ?? []).map(({ morning_command }) => morning_command)
  const again = ["dd dream start", "dd dream report", ...packets]
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

/** Why an iteration that could not be measured or made changed nothing. */
const notKept = ({ degraded = [], error, index, status }: IterationSummary): ReadonlyArray<string> =>
  status === "degraded" || status === "rolled-back-pre-commit" || status === "failed"
    ? [`iteration ${index} (${status}): ${error ?? degraded.at(-1) ?? "the reason is not known"}`]
    : []

/** With the iterations on disk, of which memory may lack the last, and with what they did to the corpus. */
export const withIterations = <A extends SummaryFields>(fields: A, kept: ReadonlyArray<IterationSummary>): A => {
  const iterations = kept.length > (fields.iterations?.length ?? 0) ? kept : fields.iterations
  const [first, ...more] = committedBy(iterations ?? [])
  const known = new Set(fields.steps.map(({ name }) => name))
  const steps = (iterations ?? []).map(({ index, status }): Step => ({ name: `iteration-${index}`, status }))
  const whole = steps.filter(({ name }) => !known.has(name)).reduce(withStep, fields)
  return {
    ...withDegraded(whole, [...flaggedNotes(iterations ?? []), ...(iterations ?? []).flatMap(notKept)]),
    ...(iterations !== undefined && { iterations }),
    ...(fields.dd !== undefined &&
      first !== undefined && {
        dd: { ...fields.dd, generation_before: first - 1, generation_after: more.at(-1) ?? first }
      })
  }
}
