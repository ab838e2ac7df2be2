/**
 * The report of a night, from its beginning to its end. Each step is on disk once it ended, so that a night that is killed shows how
 * far it came. However a night ends, it leaves a report: `done`, or `failed` with the reason.
 */
import { Cause, Clock, Effect, Exit, FileSystem, Option, Path, Predicate, Ref, Result } from "effect"
import { rehydrated } from "../../domain/night/rehydration.ts"
import { crashed } from "../../domain/night/report/crashed.ts"
import {
  failedSummary,
  underWay,
  withDegraded,
  withIterations,
  withNotes,
  withoutDetails,
  withStep
} from "../../domain/night/report/plannedSummary.ts"
import { decodeSummary, type Step, type Summary, type SummaryFields, spanOf, utc } from "../../domain/night/Summary.ts"
import { readLooks, sealedLooksNote } from "../../domain/night/sealedLooks.ts"
import { Corpus } from "./Corpus.ts"
import { NightFiles } from "./NightFiles.ts"
import { lostRecord } from "./nightLoop.ts"

export interface NightReport {
  readonly fields: Effect.Effect<SummaryFields>
  readonly change: (changed: (fields: SummaryFields) => SummaryFields) => Effect.Effect<void>
  readonly set: (fields: Partial<SummaryFields>) => Effect.Effect<void>
  readonly degraded: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Facts that need no action. */
  readonly notes: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Steps that take long: a report of a night that ends meanwhile says that they were under way. */
  readonly begin: (...names: ReadonlyArray<string>) => Effect.Effect<void>
  readonly step: (name: string, status: Step["status"], more?: Partial<Step>) => Effect.Effect<void>
  /** Writes a document of the night. Its failure costs only the document. */
  readonly keep: (file: string, value: unknown) => Effect.Effect<void>
  /** A step whose failure costs only its own part of the report, and gives null. */
  readonly soft: <A, E, R>(name: string, self: Effect.Effect<A, E, R>) => Effect.Effect<A | null, never, R>
}

/** Gives the report as it is on disk. */
export const reported = Effect.fn("NightReport.reported")(function* <E extends Error, R>(
  planOf: (at: number) => SummaryFields,
  body: (report: NightReport) => Effect.Effect<void, E, R>
) {
  const files = yield* NightFiles
  const startedAt = yield* Clock.currentTimeMillis
  const plan = yield* withLooks(planOf(startedAt))
  const run = plan.run_id
  const report = yield* Ref.make(plan)

  /** The report as it is now, with a line in the log. */
  const save = Effect.fnUntraced(function* (line: string) {
    const now = yield* Clock.currentTimeMillis
    yield* files.log(`${utc(now)} ${line}`)
    const artifacts = yield* files.artifacts
    yield* Ref.update(report, (fields): SummaryFields => ({ ...fields, ...spanOf(startedAt, now), artifacts }))
    yield* files.report(yield* Ref.get(report))
  })
  const change: NightReport["change"] = (changed) => Ref.update(report, changed)
  const set: NightReport["set"] = (given) => change((fields) => ({ ...fields, ...given }))
  const degraded: NightReport["degraded"] = (lines) => change((fields) => withDegraded(fields, lines))
  const notes: NightReport["notes"] = (lines) => change((fields) => withNotes(fields, lines))
  const saveMeanwhile = (line: string) =>
    Effect.catch(save(line), (error) => degraded([`the report could not be written meanwhile: ${error.message}`]))

  const begin = (...names: ReadonlyArray<string>) =>
    Effect.andThen(
      Ref.update(report, (fields) =>
        names.reduce((all, name) => withStep(all, { name, status: "pending", note: underWay }), fields)
      ),
      saveMeanwhile(`${names.join(", ")} begun`)
    )
  const step = Effect.fnUntraced(function* (name: string, status: Step["status"], more: Partial<Step> = {}) {
    const artifact = (yield* files.artifacts)[artifactOf[name] ?? name.replaceAll("-", "_")]
    const made = status === "skipped" || artifact === undefined ? {} : { artifact }
    yield* Ref.update(report, (fields) => withStep(fields, { name, status, ...made, ...more }))
    yield* saveMeanwhile(`${name} ${status}`)
  })
  const keep = (file: string, value: unknown) =>
    Effect.catch(files.document(file, value), (error) => degraded([error.message]))
  const soft = Effect.fnUntraced(function* <A, E, R>(name: string, self: Effect.Effect<A, E, R>) {
    const exit = yield* Effect.exit(self)
    if (Exit.isSuccess(exit)) {
      yield* step(name, "done")
      return exit.value
    }
    if (Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
    const reason = reasonOf(exit.cause)
    yield* degraded([`${name}: ${reason}`])
    yield* step(name, "soft-fail", { note: reason })
    return null
  })

  const end = Effect.fnUntraced(function* (exit: Exit.Exit<unknown, Error>) {
    const kept = yield* Effect.option(files.iterations(run))
    yield* Ref.update(report, (fields): SummaryFields => {
      const whole = withIterations(
        fields,
        rehydrated(
          run,
          Option.getOrElse(kept, () => [])
        ).iterations
      )
      if (Exit.isSuccess(exit)) return { ...whole, status: "done" }
      const isInterrupted = Cause.hasInterruptsOnly(exit.cause)
      return isInterrupted
        ? failedSummary(whole, "the night was interrupted", "interrupted")
        : failedSummary(whole, reasonOf(exit.cause), "failed", remedyOf(exit.cause))
    })
    yield* Ref.set(report, yield* withLooks(yield* Ref.get(report)))
    yield* save((yield* Ref.get(report)).status).pipe(Effect.tapError(endInShort))
  })
  /** Where the whole report has no place, a short one may. */
  const endInShort = (error: Error) =>
    Effect.andThen(
      Ref.update(report, (fields) => withoutDetails(failedSummary(fields, error.message, "failed"))),
      Effect.option(Effect.flatMap(Ref.get(report), files.report))
    )

  const life = Effect.andThen(
    save("planned"),
    body({ fields: Ref.get(report), change, set, degraded, notes, begin, step, keep, soft })
  )
  // Where the caller cannot be interrupted, the report and the end of the process agree.
  yield* Effect.onExit(Effect.interruptible(life), end)
  return yield* Ref.get(report)
})

/** The document of a step that has another name. */
const artifactOf: Readonly<Record<string, string>> = {
  "knowledge-brief": "briefing",
  "knowledge-brief-fallback": "briefing_fallback",
  "morning-packets": "morning_packets_markdown"
}

/** The report in this directory; null: there is none that can be read. */
export const summaryAt = Effect.fnUntraced(function* (directory: string) {
  const file = (yield* Path.Path).join(directory, "summary.json")
  const text = yield* Effect.option((yield* FileSystem.FileSystem).readFileString(file))
  return Option.getOrNull(Option.flatMap(text, (found) => Result.getSuccess(decodeSummary(found))))
})

/** A report that a killed night left as `planned` becomes `failed`. */
export const finishKilled = Effect.fn("NightReport.finishKilled")(function* (planned: Summary) {
  const files = yield* NightFiles
  const run = planned.run_id
  const { iterations: earlier } = rehydrated(run, yield* files.iterations(run))
  const current = yield* Effect.option((yield* Corpus).current)
  const lost = Option.getOrNull(Option.map(current, (generation) => lostRecord({ run, earlier }, generation)))
  const whole = withIterations(planned, lost === null ? earlier : [...earlier, lost])
  yield* files.log(`${utc(yield* Clock.currentTimeMillis)} failed: found killed by the next night`)
  yield* files.find(run, Date.parse(planned.started_at))
  const artifacts = { ...planned.artifacts, ...(yield* files.artifacts) }
  yield* files.report(crashed(yield* withLooks({ ...whole, artifacts })))
})

/** With the number of looks at the sealed reviews that the corpus has recorded. */
export const withLooks = Effect.fnUntraced(function* <A extends SummaryFields>(fields: A) {
  const note = yield* Effect.option((yield* Corpus).note(sealedLooksNote))
  const sealed_looks = readLooks(Option.getOrNull(note))?.length ?? 0
  return fields.dd === undefined ? fields : { ...fields, dd: { ...fields.dd, sealed_looks } }
})

/** The first move that an error names; null: none. */
const remedyOf = (cause: Cause.Cause<unknown>): string | null => {
  const error = Cause.squash(cause)
  return Predicate.hasProperty(error, "remedy") && typeof error.remedy === "string" ? error.remedy : null
}

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}
