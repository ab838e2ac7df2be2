/**
 * The report of a night, `summary.json`, and of one iteration, `iter-N.json` (versions 1 and 2 of the contract).
 *
 * What dd writes has every required field, the version that its fields require, keys in the order below, and what the contract
 * does not name under `dd`. Reading keeps keys that dd does not know.
 */
import { DateTime, Option, Result, Schema } from "effect"
import { goDuration } from "./goDuration.ts"
import { MorningPacket } from "./Packet.ts"
import { CouncilSummary } from "./report/council.ts"
import { Dreamscape } from "./report/dreamscape.ts"
import { LongHaul } from "./report/longHaul.ts"
import { Yield } from "./report/yield.ts"
import { SealedLook } from "./sealedLooks.ts"

export const RunStatus = Schema.Literals(["planned", "dry-run", "done", "failed"])
export type RunStatus = typeof RunStatus.Type

/** What became of one iteration. In `done` and `halted-on-regression-post-commit` its generation counts; in no other. */
export const IterationStatus = Schema.Literals([
  "done",
  "degraded",
  "rolled-back-pre-commit",
  "halted-on-regression-pre-commit",
  "halted-on-regression-post-commit",
  "failed"
])
export type IterationStatus = typeof IterationStatus.Type

/** Is the generation of such an iteration on disk, so that a later one may be compared with it? */
export const isCommitted = (status: string): boolean =>
  status === "done" || status === "halted-on-regression-post-commit"

const Time = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/))
const texts = Schema.Array(Schema.String)
const scores = Schema.Record(Schema.String, Schema.Finite)
const opaque = Schema.Record(Schema.String, Schema.Unknown)

export const Step = Schema.Struct({
  name: Schema.String,
  /** An iteration's step has the status of the iteration. */
  status: Schema.Literals(["pending", "soft-fail", "skipped", ...IterationStatus.literals]),
  command: Schema.optionalKey(Schema.String),
  artifact: Schema.optionalKey(Schema.String),
  note: Schema.optionalKey(Schema.String)
})
export type Step = typeof Step.Type

export const IterationSummary = Schema.Struct({
  /** `<run>-iter-<index>`. */
  id: Schema.String.check(Schema.isPattern(/^.+-iter-[1-9][0-9]*$/)),
  /** From 1. */
  index: Schema.Int.check(Schema.isGreaterThan(0)),
  started_at: Time,
  finished_at: Time,
  duration: Schema.String,
  duration_ms: Schema.optionalKey(Schema.Int),
  status: IterationStatus,
  ingest: Schema.optionalKey(opaque),
  reduce: Schema.optionalKey(opaque),
  /** `metrics`: by name the value, n, interval and state of each. */
  measure: Schema.optionalKey(opaque),
  /** The metrics that both generations have, and `composite`. */
  fitness_before: Schema.optionalKey(scores),
  fitness_after: Schema.optionalKey(scores),
  /** Of the composite; 0 if nothing was measured. */
  fitness_delta: Schema.Finite,
  degraded: Schema.optionalKey(texts),
  error: Schema.optionalKey(Schema.String),
  /** What dd adds to the contract: the generation that it committed. Absent: none. */
  dd: Schema.optionalKey(Schema.Struct({ generation: Schema.Int }))
})
export type IterationSummary = typeof IterationSummary.Type

const Runtime = Schema.Struct({
  keep_awake: Schema.Boolean,
  keep_awake_mode: Schema.String,
  keep_awake_note: Schema.optionalKey(Schema.String),
  /** As the user wrote it, and as it counts. */
  requested_timeout: Schema.String,
  effective_timeout: Schema.String,
  lock_path: Schema.String,
  log_path: Schema.String,
  process_contract_doc: Schema.String,
  report_contract_doc: Schema.String
})

/** What dd adds to the contract. */
const Extras = Schema.Struct({
  /** Why the loop ended; null before its end, and when it failed. */
  halt_kind: Schema.NullOr(
    Schema.Literals([
      "no-proposals",
      "max-iterations",
      "plateau",
      "regression",
      "measure-failure",
      "budget",
      "interrupted"
    ])
  ),
  budget_exhausted: Schema.Boolean,
  generation_before: Schema.Int,
  generation_after: Schema.Int,
  /** The id of the reviews by which this night decided; null if it came to no decision. */
  gate_set: Schema.NullOr(Schema.String),
  /** Of the generations before and after; `fitness_delta` is the difference. Absent: the loop did not end. */
  fitness: Schema.optionalKey(Schema.Struct({ before: scores, after: scores })),
  /** Labels came in and nothing was learned from them. */
  throughput_stalled: Schema.Boolean,
  /** How often the sealed reviews were looked at, this night included. */
  sealed_looks: Schema.Int,
  /** The labels of the sealed reviews, and the last look at them; null: there was none. */
  sealed: Schema.optionalKey(
    Schema.Struct({
      state: Schema.Literals(["ok", "insufficient"]),
      labels: Schema.Int,
      look: Schema.NullOr(SealedLook)
    })
  ),
  /** Facts that need no action, such as a host whose sleep dd does not manage. */
  notes: texts
})

const fields = {
  schema_version: Schema.Literals([1, 2]),
  /** `dream.local-bedtime`. */
  mode: Schema.String,
  run_id: Schema.NonEmptyString,
  goal: Schema.optionalKey(Schema.String),
  repo_root: Schema.String,
  output_dir: Schema.String,
  status: RunStatus,
  dry_run: Schema.Boolean,
  started_at: Time,
  finished_at: Time,
  duration: Schema.String,
  duration_ms: Schema.optionalKey(Schema.Int),
  runtime: Runtime,
  steps: Schema.Array(Step),
  artifacts: Schema.Record(Schema.String, Schema.String),
  /** Commands. */
  recommended: texts,
  next_action: Schema.String,
  /** What went wrong and can be changed. */
  degraded: Schema.optionalKey(texts),
  /** What the night did to the corpus: `summaryMarkdown.ts` names the keys that it reads. */
  close_loop: Schema.optionalKey(opaque),
  metrics_health: Schema.optionalKey(opaque),
  retrieval_live: Schema.optionalKey(opaque),
  briefing: Schema.optionalKey(opaque),
  council: Schema.optionalKey(CouncilSummary),
  dreamscape: Schema.optionalKey(Dreamscape),
  yield: Schema.optionalKey(Yield),
  long_haul: Schema.optionalKey(LongHaul),
  morning_packets: Schema.optionalKey(Schema.Array(MorningPacket)),
  iterations: Schema.optionalKey(Schema.Array(IterationSummary)),
  /** Of the generation that counts in the end, compared with the one before the night. */
  fitness_delta: Schema.optionalKey(scores),
  plateau_reason: Schema.optionalKey(Schema.NonEmptyString),
  regression_reason: Schema.optionalKey(Schema.NonEmptyString),
  warn_only_budget_initial: Schema.optionalKey(Schema.Int),
  warn_only_remaining: Schema.optionalKey(Schema.Int),
  measure_failure_halt: Schema.optionalKey(Schema.Boolean),
  failure_reason: Schema.optionalKey(Schema.String),
  dd: Schema.optionalKey(Extras)
} as const

export const Summary = Schema.Struct(fields)
export type Summary = typeof Summary.Type

/** A summary before its version is known. */
export type SummaryFields = Omit<Summary, "schema_version">

/** The fields that only version 2 has. */
const ofVersion2 = [
  "yield",
  "long_haul",
  "morning_packets",
  "iterations",
  "fitness_delta",
  "plateau_reason",
  "regression_reason"
] as const

const ofVersion1 = Object.keys(fields)
  .slice(0, Object.keys(fields).indexOf("yield"))
  .filter((key) => key !== "duration_ms")

/** With the version that its fields require. */
export const summaryOf = (given: SummaryFields): Summary => ({
  ...given,
  goal: given.goal ?? "",
  schema_version: ofVersion2.some((key) => given[key] !== undefined) ? 2 : 1
})

/** The same night in version 1: no field that version 1 does not name, and no step of an iteration. */
export const toV1 = (summary: Summary): Summary => {
  const kept = Object.entries(summary).filter(([key]) => ofVersion1.includes(key))
  const steps = summary.steps.filter(({ name }) => !/^iteration-\d+$/.test(name))
  return { ...(Object.fromEntries(kept) as Summary), schema_version: 1, steps }
}

/** The fields of a time span; both in milliseconds since 1970. */
export const spanOf = (startedAt: number, finishedAt: number) => ({
  started_at: utc(startedAt),
  finished_at: utc(finishedAt),
  duration: goDuration(finishedAt - startedAt),
  duration_ms: Math.round(finishedAt - startedAt)
})

/** RFC 3339 in UTC; milliseconds only where there are some. */
export const utc = (milliseconds: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(milliseconds)).replace(".000Z", "Z")

/** `20260131T013000Z`: the id of a run that started then. */
export const runIdOf = (milliseconds: number): string =>
  utc(milliseconds - (milliseconds % 1_000)).replaceAll(/[-:]/g, "")

export const isRunId = (text: string): boolean => /^\d{8}T\d{6}Z$/.test(text)

const encode = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const encodeKnown = Schema.encodeUnknownSync(schema)
  return (value: S["Type"]): string => `${JSON.stringify(withUnknownKeys(encodeKnown(value), value), null, 2)}\n`
}
const encodeSummaryFields = encode(Summary)

/** The text of `summary.json`. Throws if the value does not fit the contract. */
export const encodeSummary = (summary: SummaryFields): string => encodeSummaryFields(summaryOf(summary))

/** The text of `iter-N.json`. */
export const encodeIteration = encode(IterationSummary)

/** Adds the keys of `given` that `known` lacks, at its end, at every depth. */
const withUnknownKeys = (known: unknown, given: unknown): unknown => {
  if (Array.isArray(known) && Array.isArray(given)) return known.map((item, at) => withUnknownKeys(item, given[at]))
  if (!isObject(known) || !isObject(given)) return known
  const whole: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(known)) whole[key] = withUnknownKeys(value, given[key])
  for (const [key, value] of Object.entries(given)) if (!Object.hasOwn(whole, key)) whole[key] = value
  return whole
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const decode = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decodeKnown = Schema.decodeUnknownResult(schema)
  return (text: string): Result.Result<S["Type"], string> =>
    Option.match(decodeJson(text), {
      onNone: () => Result.fail("it is not JSON"),
      onSome: (value) =>
        Result.mapBoth(decodeKnown(value), {
          onSuccess: (known) => withUnknownKeys(known, value) as S["Type"],
          onFailure: (error) => String(error.message).replaceAll(/\s*\n\s*/g, " ")
        })
    })
}
const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Of the text of a `summary.json`; a failure is the reason. */
export const decodeSummary = decode(Summary)

/** Of the text of an `iter-N.json`. */
export const decodeIteration = decode(IterationSummary)
