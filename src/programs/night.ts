/**
 * A night: learns from the labels of a repository's archived reviews, and reports in the morning.
 *
 * The lock comes first, then what a killed run left, then the directory, in which the report says `planned` until the end. However
 * a night ends, it leaves a report: `done`, or `failed` with the reason. The loop ends before the time is over, so that there is
 * always time for the report.
 */
import { Clock, Effect, FileSystem, Layer, Result, Runtime, Schema } from "effect"
import type { Awake } from "../domain/night/Awake.ts"
import { fitnessDelta, fitnessMaps } from "../domain/night/composite.ts"
import { resolverOf } from "../domain/night/evidence/resolverOf.ts"
import type { LabelledReview } from "../domain/night/LabelledReview.ts"
import { mustShow } from "../domain/night/mustShow.ts"
import { rehydrated } from "../domain/night/rehydration.ts"
import { closeLoopInShort, closeLoopOf, freshLabelsNote, refusalNote } from "../domain/night/report/closeLoop.ts"
import { briefingOf, isEmptyBriefing, metricsHealth, retrievalLive } from "../domain/night/report/health.ts"
import { nothingLearned, type Plan, plannedSummary, withIterations } from "../domain/night/report/plannedSummary.ts"
import { isRunId, type SummaryFields } from "../domain/night/Summary.ts"
import { identityOf, splitByTime } from "../domain/night/split.ts"
import { Corpus } from "../services/night/Corpus.ts"
import { KeepAwake } from "../services/night/KeepAwake.ts"
import { type Ingested, LabelledReviews } from "../services/night/LabelledReviews.ts"
import { labelsKept } from "../services/night/labelsKept.ts"
import { labelsSince } from "../services/night/labelsSince.ts"
import { lookAtSealed } from "../services/night/lookAtSealed.ts"
import { NightFiles, nightPlaces, type OutputRefused } from "../services/night/NightFiles.ts"
import type { NightFileUnusable } from "../services/night/NightFileUnusable.ts"
import { finishKilled, type NightReport, reported, summaryAt, withLooks } from "../services/night/NightReport.ts"
import { type LoopOutcome, runLoop } from "../services/night/nightLoop.ts"
import { keptNights, pruneNights } from "../services/night/pruneNights.ts"
import { usableGeneration } from "../services/night/usableGeneration.ts"
import { monotonicMillis } from "../services/system/monotonicMillis.ts"
import { morning } from "./morning.ts"
import type { NightRequest } from "./NightRequest.ts"

export class NightFailed extends Schema.TaggedError<NightFailed>()("NightFailed", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return this.reason
  }
}

/** Of the time of a night, this is kept for the report: a tenth, and at least a minute, or half of a short night. */
export const tailOf = (timeout: number): number => Math.max(Math.min(60_000, timeout / 2), timeout / 10)

/** `directory`: creates the directory of a report; that of this night is its own. */
export const night = Effect.fn("night")(function* <R>(
  request: NightRequest,
  directory: (path: string, isOwn: boolean) => Layer.Layer<NightFiles, NightFileUnusable | OutputRefused, R>
) {
  const corpus = yield* Corpus
  const { host, outputDir, pid, run } = request
  const owned = yield* Effect.result(corpus.own({ run, pid, host, outputDir }))
  if (Result.isFailure(owned)) {
    const { failure } = owned
    if (failure._tag === "CorpusBusy") return yield* failure
    // Whoever reads the report in the morning learns that there was no night.
    const failing = reporting(request, noAwake, () => Effect.fail(failure))
    return yield* Effect.provideContext(failing, yield* Layer.build(directory(outputDir, true)))
  }
  const died = owned.success
  yield* Effect.catch(finishLeft(request, died === null ? [] : [died.outputDir], directory), (error) =>
    Effect.logWarning(`the report of a night that was killed was not finished: ${error.message}`)
  )
  const awake = yield* (yield* KeepAwake).begin(request.keepAwake)
  const own = yield* Layer.build(directory(outputDir, true))
  yield* Effect.catch(pruneNights({ kept: keptNights, run }, false), (error) =>
    Effect.logWarning(`old reports of nights were not removed: ${error.message}`)
  )
  return yield* Effect.provideContext(
    reporting(request, awake, (report) => steps(request, report)),
    own
  )
}, Effect.scoped)

/**
 * Under the lock no other night runs, so a report that says `planned` is one of a night that was killed, or of one that had no room
 * on the disk to finish it. `places`: where there may be one beside those in the default place and the one that is the latest.
 */
const finishLeft = Effect.fnUntraced(function* <R>(
  { outputDir, previous }: NightRequest,
  places: ReadonlyArray<string>,
  directory: (path: string, isOwn: boolean) => Layer.Layer<NightFiles, NightFileUnusable | OutputRefused, R>
) {
  const fs = yield* FileSystem.FileSystem
  const { runs } = nightPlaces((yield* Corpus).lockPath)
  const names = (yield* Effect.orElseSucceed(fs.readDirectory(runs), () => [])).filter(isRunId)
  const last = previous === null ? [] : [previous.output_dir]
  for (const place of new Set([...places, ...last, ...names.map((name) => `${runs}/${name}`)])) {
    if (place === outputDir) continue
    const left = yield* summaryAt(place)
    const isPlanned = left?.status === "planned"
    // Of one that was killed the drafts are removed, too.
    if (!isPlanned && !(places.includes(place) && (yield* fs.exists(place)))) continue
    const files = yield* Layer.build(directory(place, false))
    if (isPlanned) yield* Effect.provideContext(finishKilled(left), files)
  }
}, Effect.scoped)

const reporting = Effect.fnUntraced(function* <E extends Error, R>(
  request: NightRequest,
  awake: Awake,
  body: (report: NightReport) => Effect.Effect<void, E, R>
) {
  const { contractPath, logPath } = yield* NightFiles
  const { lockPath } = yield* Corpus
  return yield* reported((at) => planOf(request, awake, at, { contractPath, lockPath, logPath }), body)
})

const noAwake: Awake = { mode: "disabled", note: null }

/** What a night would do: without the lock, and without a file. */
export const dryNight = Effect.fn("dryNight")(function* (request: NightRequest) {
  const { lockPath } = yield* Corpus
  const fields = planOf(request, noAwake, yield* Clock.currentTimeMillis, { contractPath: "", lockPath, logPath: "" })
  const next_action = "Run `dd dream start` without --dry-run."
  const end = { status: "dry-run", dry_run: true, next_action, recommended: [] } as const
  return { ...(yield* withLooks(fields)), ...end } satisfies SummaryFields
})

const planOf = (
  request: NightRequest,
  awake: Awake,
  at: number,
  places: Pick<Plan, "contractPath" | "lockPath" | "logPath">
) => plannedSummary({ ...request, awake, at, ...places })

/** With fewer labels in the gate set, a regression may be chance: nights warn and go on. */
const leastForStrict = 50

const labelsOf = (reviews: ReadonlyArray<LabelledReview>): number =>
  reviews.reduce((sum, { findings }) => sum + findings.filter(({ judgement }) => judgement !== null).length, 0)

/** What a night does, in order. The report grows with each step, so that one that stops says how far it came. */
const steps = Effect.fnUntraced(function* (request: NightRequest, report: NightReport) {
  const files = yield* NightFiles
  const { digest, goal, run } = request
  const over = (yield* monotonicMillis) + request.timeout
  const until = over - tailOf(request.timeout)
  const { begin, degraded, keep, step } = report

  const source = yield* LabelledReviews
  const ingested = yield* source.read
  const { reviews } = ingested
  yield* degraded([
    ...ingested.unreadable.map((session) => `the findings of review ${session.slice(0, 8)} cannot be read`),
    ...aheadNote(ingested.ahead)
  ])
  const since = yield* labelsSince(ingested, digest)
  yield* degraded(since.degraded)
  yield* report.notes(since.notes)
  const current = yield* usableGeneration
  const { number } = current
  yield* report.change(({ dd = nothingLearned, ...fields }) => ({
    ...fields,
    dd: { ...dd, generation_before: number, generation_after: number }
  }))
  const split = splitByTime(reviews, current)
  const gateSet = digest(identityOf(split.gate)).slice(0, 16)
  const counts = countsOf(ingested, current.at)
  const earlier = rehydrated(run, yield* files.iterations(run))
  yield* degraded(earlier.notes)
  const warnOnly = request.loop.warnOnly ?? labelsOf(split.gate) < leastForStrict
  const context = {
    ...{ resolves: resolverOf(reviews), mustShow: mustShow(reviews) },
    hasFolder: (folder: string) => request.folders?.has(folder) ?? true
  }
  yield* begin("close-loop")
  const outcome = yield* runLoop({
    digest,
    ...{ run, split, gateSet, until, isProtected: request.isProtected, options: { ...request.loop, warnOnly } },
    context,
    ingest: counts,
    labelLog: labelsKept(source, ingested, digest),
    earlier: earlier.iterations
  })
  yield* degraded([...outcome.degraded, ...outcome.warnings])
  const { notes } = (yield* report.fields).dd ?? nothingLearned
  const { before: began, after, measuredAfter } = outcome
  const { labels_human: labels, labels_new: newLabels } = counts
  const closed = closeLoopOf({ before: began, after, reviews: reviews.length, labels, newLabels })
  yield* report.set(learnedFields(outcome, closed, warnOnly, split.gate.length === 0 ? null : gateSet, notes))
  const refusal = refusalNote(outcome.iterations)
  const fresh = after.number === number ? freshLabelsNote(split, current.at, refusal !== null) : null
  yield* report.change((fields) => withIterations(fields, []))
  yield* report.notes([...outcome.notes, ...[refusal, fresh].filter((each) => each !== null)])
  yield* keep("close-loop.json", closed)
  yield* step("close-loop", outcome.failure === null ? "done" : "failed")

  const now = yield* Clock.currentTimeMillis
  const looked = yield* Effect.result(lookAtSealed(run, after, split.sealed, context, digest))
  if (Result.isFailure(looked)) yield* degraded([looked.failure.message])
  else
    yield* report.change((fields) => ({
      ...fields,
      dd: { ...(fields.dd ?? nothingLearned), sealed: looked.success }
    }))
  const live = retrievalLive(after, reviews)
  const metrics_health = metricsHealth(after, reviews, measuredAfter.metrics, now)
  yield* report.set({ metrics_health, ...(live.queries === 0 ? {} : { retrieval_live: live }) })
  yield* keep("metrics-health.json", metrics_health)
  if (live.queries > 0) yield* keep("retrieval-bench.json", live)
  yield* step("metrics-health", "done")
  yield* step("retrieval-live", live.queries === 0 ? "skipped" : "done")
  const briefing = briefingOf(after, goal, reviews)
  const brief = goal === "" || !isEmptyBriefing(briefing)
  if (goal !== "") {
    yield* report.set({ briefing })
    if (brief) yield* keep("briefing.json", briefing)
    yield* step("knowledge-brief", "done", brief ? {} : { note: "nothing was learned about the goal" })
  }
  yield* morning(request, report, { ...{ outcome, reviews, counts, coverage: live.coverage ?? null, brief }, over })
  if (outcome.failure !== null) return yield* new NightFailed({ reason: outcome.failure })
})

const learnedFields = (
  outcome: LoopOutcome,
  closed: ReturnType<typeof closeLoopOf>,
  warnOnly: boolean,
  gateSet: string | null,
  notes: ReadonlyArray<string>
): Partial<SummaryFields> => {
  const { after, before, budget, halt, measuredAfter, measuredBefore, reason } = outcome
  const delta = fitnessDelta(measuredBefore.metrics, measuredAfter.metrics)
  return {
    close_loop: closeLoopInShort(closed),
    iterations: outcome.iterations,
    ...(Object.keys(delta).length === 0 ? {} : { fitness_delta: delta }),
    ...(halt === "plateau" ? { plateau_reason: reason ?? halt } : {}),
    ...(halt === "regression" ? { regression_reason: reason ?? halt } : {}),
    ...(halt === "measure-failure" ? { measure_failure_halt: true, failure_reason: reason ?? halt } : {}),
    ...(warnOnly ? { warn_only_budget_initial: budget.initial_budget, warn_only_remaining: budget.remaining } : {}),
    dd: {
      ...nothingLearned,
      halt_kind: halt,
      budget_exhausted: halt === "budget",
      generation_before: before.number,
      generation_after: after.number,
      gate_set: gateSet,
      fitness: fitnessMaps(measuredBefore.metrics, measuredAfter.metrics),
      throughput_stalled: closed.throughput_stalled,
      notes
    }
  }
}

const aheadNote = (ahead: number): ReadonlyArray<string> =>
  ahead === 0
    ? []
    : [`${ahead === 1 ? "1 label is" : `${ahead} labels are`} dated later than now, and did not count: check the clock`]

interface Counts extends Readonly<Record<string, number>> {
  readonly reviews: number
  readonly findings: number
  readonly labels_human: number
  /** Since the last generation. */
  readonly labels_new: number
}

const countsOf = ({ conflicting, reviews, unreadable }: Ingested, since: number): Counts => {
  const findings = reviews.flatMap((review) => review.findings)
  return {
    reviews: reviews.length,
    findings: findings.length,
    labels_human: findings.filter(({ judgement }) => judgement !== null).length,
    labels_new: findings.filter(({ judgedAt }) => judgedAt !== null && judgedAt > since).length,
    labels_weak: findings.filter(({ judgement, weak }) => judgement === null && weak !== null).length,
    labels_conflicting: conflicting,
    unreadable: unreadable.length
  }
}
