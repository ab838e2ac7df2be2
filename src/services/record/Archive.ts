/**
 * Keeps every run: when its scope closes, whatever the end, a bundle of its files and then a row in the index.
 *
 * The last act of a run, and never its failure: what goes wrong is a warning, an entry in `missing` where the result can
 * still say so, and changes no exit code. A process killed in between leaves a bundle without a row, which
 * `dd archive rebuild-index` finds, and never a row without a bundle.
 */

import {
  Cause,
  Clock,
  Context,
  DateTime,
  Effect,
  Exit,
  FileSystem,
  Layer,
  Option,
  type Path,
  Ref,
  Result,
  Schema
} from "effect"
import { builtInPrices } from "../../domain/agent/Prices.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import type { Degraded } from "../../domain/change/Degraded.ts"
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import { alternativesStack } from "../../domain/finding/MergedItem.ts"
import { costOfRun } from "../../domain/record/costOfRun.ts"
import { type EvaluationInput, evaluate, hasReview } from "../../domain/record/Evaluation.ts"
import { manifestOf } from "../../domain/record/manifestOf.ts"
import { RunManifest, rowOf } from "../../domain/record/RunManifest.ts"
import type { Trajectory } from "../../domain/record/Trajectory.ts"
import { findingsFileOf } from "../../domain/review/FindingsFile.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import type { SessionId } from "../../domain/run/SessionId.ts"
import { placesOf } from "../../domain/run/TrajectoryPlaces.ts"
import type { Repository } from "../change/openRepository.ts"
import { redactedPatch } from "../review/ReviewFiles.ts"
import { Redactor } from "../secret/Redactor.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { troubleOf } from "../system/trouble.ts"
import { ArchiveIndex } from "./ArchiveIndex.ts"
import { type BundleDraft, Bundles } from "./Bundles.ts"
import { Trajectories } from "./Trajectories.ts"

export interface RunToArchive {
  readonly sessionId: SessionId
  readonly version: string
  readonly flow: string
  readonly backend: string
  readonly change: Change
  readonly repository: Repository | null
  /** `.daydream`, or where this run keeps its artifacts instead; null when it keeps none. */
  readonly artifacts: string | null
  /** Where its trajectory goes; null when it has none. */
  readonly trajectory: string | null
  readonly evaluates: boolean
}

export class Archive extends Context.Service<
  Archive,
  {
    /** What the review came to. A run that does not say is one that was stopped or failed. */
    readonly conclude: (result: ReviewResult) => Effect.Effect<void>
    /** Why the run will not be archived, as far as it is known before its end. */
    readonly missing: Effect.Effect<ReadonlyArray<Degraded>>
  }
>()("dd/services/record/Archive") {
  /** The user wants no archive. */
  static readonly layerNone = Layer.succeed(
    Archive,
    Archive.of({ conclude: () => Effect.void, missing: Effect.succeed([]) })
  )

  static readonly layer = (run: RunToArchive) =>
    Layer.effect(
      Archive,
      Effect.gen(function* () {
        const bundles = yield* Bundles
        const concluded = yield* Ref.make<ReviewResult | null>(null)
        const startedAt = yield* Clock.currentTimeMillis
        const before = yield* marksIn(run.artifacts, () => Effect.void)
        const began = yield* monotonicMillis
        const surroundings = yield* Effect.context<
          ArchiveIndex | Bundles | FileSystem.FileSystem | Path.Path | Redactor | Trajectories
        >()
        // Made before the review, so that its result can say when there is no room for it.
        const draft = yield* Effect.result(bundles.begin(run.sessionId))
        const missing: ReadonlyArray<Degraded> =
          draft._tag === "Success"
            ? []
            : [{ step: "archive", error: draft.failure._tag, detail: notArchived(draft.failure.message) }]
        for (const { detail } of missing) yield* Effect.logWarning(detail)
        if (draft._tag === "Success") {
          yield* Effect.addFinalizer((exit) =>
            Effect.flatMap(Ref.get(concluded), (result) =>
              archive(run, { before, draft: draft.success, exit, result, startedAt, began })
            ).pipe(
              Effect.catch((error) => Effect.logWarning(notArchived(error.message))),
              // A defect here is none of the review's.
              Effect.catchDefect((defect) => Effect.logWarning(notArchived(`a defect in dd: ${String(defect)}`))),
              Effect.provideContext(surroundings)
            )
          )
        }
        return Archive.of({ conclude: (result) => Ref.set(concluded, result), missing: Effect.succeed(missing) })
      })
    )
}

const notArchived = (reason: string): string => `this run is not archived: ${reason}`

interface End {
  readonly draft: BundleDraft
  readonly exit: Exit.Exit<unknown, unknown>
  readonly result: ReviewResult | null
  readonly startedAt: number
  /** The artifacts that were there before the run. */
  readonly before: Marks
  /** In monotonic milliseconds. */
  readonly began: number
}

/** For each file below the artifacts, a value that changes when the file is written again. */
type Marks = ReadonlyMap<string, string>

/** Marks of the regular files that a bundle can contain; `note` gets the reason where they could not be listed. */
const marksIn = Effect.fnUntraced(function* (directory: string | null, note: (reason: string) => Effect.Effect<void>) {
  const fs = yield* FileSystem.FileSystem
  const marks = new Map<string, string>()
  if (directory === null) return marks
  const infoOf = (name: string) => Effect.map(Effect.option(fs.lstat(`${directory}/${name}`)), Option.getOrNull)
  const isDirectory = (yield* infoOf("deep"))?.type === "Directory"
  const deep = isDirectory ? yield* Effect.result(fs.readDirectory(`${directory}/deep`)) : Result.succeed([])
  if (Result.isFailure(deep)) yield* note(troubleOf(deep.failure))
  const names = Result.getOrElse(deep, (): ReadonlyArray<string> => []).map((name) => `deep/${name}`)
  for (const name of ["diff.patch", "recommended.patch", ...names.toSorted()]) {
    const info = yield* infoOf(name)
    if (info?.type !== "File") continue
    const time = Option.getOrUndefined(info.mtime)?.getTime()
    marks.set(name, `${Option.getOrUndefined(info.ino)} ${time} ${info.size}`)
  }
  return marks
})

const archive = Effect.fn("Archive.archive")(function* (run: RunToArchive, end: End) {
  const { before, began, draft, exit, result, startedAt } = end
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const redactor = yield* Redactor
  // Before anything is kept: an index of a newer dd is left as it is, and so is everything around it.
  const opened = yield* Effect.result(index.open)
  if (opened._tag === "Failure" && opened.failure._tag === "ArchiveTooNew") return yield* opened.failure
  if (opened._tag === "Success" && opened.success.movedAside !== null) {
    yield* Effect.logWarning(
      `the archive's index was damaged and is now ${opened.success.movedAside}; the next dd archive command makes a new one of the archived runs`
    )
  }
  const missed: Array<{ readonly name: string; readonly reason: string }> = []
  const note = (name: string) => (reason: string | null) =>
    Effect.sync(() => {
      if (reason !== null) missed.push({ name, reason })
    })

  // Nearly all of it is waiting for the disk.
  const [{ root, siblings }, files] = yield* Effect.all(
    [trajectories(run, draft, note), artifacts(run, draft, note, before)],
    { concurrency: "unbounded" }
  )
  if (!files.hasPatch) {
    yield* draft.bytes("diff.patch", yield* redactedPatch(run.change.patch, redactor.inPieces()))
  }
  if (result !== null) yield* draft.json("findings.json", findingsFileOf(result))

  const cost = root === null ? (result?.cost ?? null) : costOfRun(root)
  const evaluation =
    !run.evaluates || root === null || cost === null || !hasReview({ root, siblings })
      ? null
      : evaluate({
          sessionId: run.sessionId,
          directory: run.artifacts,
          isStatic: run.backend === "static",
          root,
          siblings,
          cost,
          diffFiles: run.change.diff.files.map(({ path }) => path),
          ledger: result?.coverage.files ?? files.ledger,
          records: files.records ?? recordsOf(result),
          dedup: files.dedup,
          findings: result?.findings.length ?? null,
          report: files.report,
          verdicts: files.verdicts,
          formatValid: files.formatValid
        })
  if (evaluation !== null) yield* draft.json("evaluation.json", evaluation)

  const now = yield* Clock.currentTimeMillis
  const manifest = yield* decodeManifest(
    redactor.value(
      manifestOf({
        ...run,
        root: run.repository?.root ?? null,
        remoteUrl: run.repository?.remoteUrl ?? null,
        startedAt: isoOf(startedAt),
        archivedAt: isoOf(now),
        durationMs: (yield* monotonicMillis) - began,
        archivePath: bundles.pathOf(run.sessionId),
        result,
        ...endOf(exit, result),
        trajectory: root,
        siblings: [...siblings.values()],
        cost,
        pricesAsOf: builtInPrices.asOf,
        evaluation,
        notArchived: missed,
        bytes: yield* draft.size
      })
    )
  )
  yield* draft.json("manifest.json", manifest)
  yield* draft.publish
  const added = opened._tag === "Failure" ? opened : yield* Effect.result(index.add([rowOf(manifest)]))
  if (added._tag === "Failure") {
    yield* Effect.logWarning(
      `this run is archived but not yet indexed: ${added.failure.message}; see dd archive rebuild-index`
    )
  }
  yield* bundles.sweep
  for (const { name, reason } of missed) yield* Effect.logWarning(`the archived run lacks ${name}: ${reason}`)
})

/** What the index is told is what stands in the bundle. */
const decodeManifest = Schema.decodeUnknownEffect(RunManifest)

const isoOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** A result stands, however the rest went: findings at the threshold are a failure of the command, not of the run. */
const endOf = (exit: Exit.Exit<unknown, unknown>, result: ReviewResult | null) => {
  if (result !== null || Exit.isSuccess(exit)) return { ended: "concluded", error: null } as const
  if (Cause.hasInterruptsOnly(exit.cause)) return { ended: "interrupted", error: null } as const
  const error = Cause.squash(exit.cause)
  return { ended: "failed", error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) } as const
}

type Note = (name: string) => (reason: string | null) => Effect.Effect<void>

/** The record of the run with its siblings by descriptor, copied to where the bundle has them. */
const trajectories = Effect.fnUntraced(function* (run: RunToArchive, draft: BundleDraft, note: Note) {
  const fs = yield* FileSystem.FileSystem
  const all = yield* Trajectories
  const none = { root: null, siblings: new Map<string, Trajectory>() }
  if (run.trajectory === null) return none
  const { document, journal, siblingsName } = placesOf(run.trajectory)
  for (const [from, name] of [
    [document, "trajectory.json"],
    [`${document}.partial`, "trajectory.json.partial"],
    [journal, "trajectory.jsonl.partial"]
  ] as const) {
    if (Option.isNone(yield* Effect.option(fs.stat(from)))) continue
    yield* Effect.flatMap(draft.document(from, name), note(name))
    const info = yield* Effect.option(fs.stat(from))
    if (Option.isSome(info) && Number(info.value.size) > largestRead) {
      yield* note("evaluation.json")("the trajectory is too long to be evaluated")
      return none
    }
    const read = yield* Effect.result(all.read(from))
    if (read._tag === "Failure") {
      yield* note(name)(read.failure.message)
      return none
    }
    const { root, siblings } = read.success
    const directory = document.slice(0, document.lastIndexOf("/") + 1)
    // Siblings of a journal are in it.
    const files = from === journal ? [] : [...siblings.keys()]
    yield* Effect.forEach(
      files,
      (path) => {
        // The document refers to it by this path, relative to itself.
        const target = siblingsName + path.slice(path.lastIndexOf("/"))
        return Effect.flatMap(draft.document(directory + path, target), note(target))
      },
      { concurrency: 8, discard: true }
    )
    const named = [...siblings].map(([path, sibling]) => {
      const descriptor = sibling.extra?.descriptor
      return [typeof descriptor === "string" ? descriptor : path, sibling] as const
    })
    return { root, siblings: new Map(named) }
  }
  yield* note("trajectory.json")("the run has left none")
  return none
})

const largestRead = 64 << 20

interface ArtifactFiles {
  readonly hasPatch: boolean
  readonly report: string | null
  readonly ledger: ReadonlyArray<FileCoverage>
  /** Null when none were kept. */
  readonly records: ReadonlyArray<{ readonly stack: string; readonly records: ReadonlyArray<ReviewRecord> }> | null
  readonly dedup: EvaluationInput["dedup"]
  readonly verdicts: ReadonlyArray<string> | null
  readonly formatValid: boolean
}

/** Copies the artifacts that the run made, and returns those that the evaluation needs. */
const artifacts = Effect.fnUntraced(function* (run: RunToArchive, draft: BundleDraft, note: Note, before: Marks) {
  const fs = yield* FileSystem.FileSystem
  const nothing: ArtifactFiles = {
    hasPatch: false,
    report: null,
    ledger: [],
    records: null,
    dedup: null,
    verdicts: null,
    formatValid: true
  }
  const { artifacts: directory } = run
  if (directory === null) return nothing
  const now = yield* marksIn(directory, note("deep"))
  const own = new Set([...now.keys()].filter((name) => now.get(name) !== before.get(name) && !name.endsWith(".draft")))
  const deep = [...own].flatMap((name) => (name.startsWith("deep/") ? [name.slice("deep/".length)] : []))
  yield* Effect.forEach(
    deep,
    (name) => Effect.flatMap(draft.text(`${directory}/deep/${name}`, `deep/${name}`), note(`deep/${name}`)),
    { discard: true }
  )
  const hasPatch = own.has("diff.patch")
  // It was written through the redactor; a patch that is redacted in another way again would not apply.
  if (hasPatch) yield* Effect.flatMap(draft.document(`${directory}/diff.patch`, "diff.patch"), note("diff.patch"))
  if (own.has("recommended.patch")) {
    const patch = yield* Effect.option(fs.readFile(`${directory}/recommended.patch`))
    const { inPieces } = yield* Redactor
    yield* Option.match(patch, {
      onNone: () => note("recommended.patch")("it cannot be read"),
      onSome: (bytes) =>
        Effect.flatMap(redactedPatch(bytes, inPieces()), (safe) => draft.bytes("recommended.patch", safe))
    })
  }
  const textOf = (name: string) =>
    own.has(`deep/${name}`)
      ? Effect.map(Effect.option(fs.readFileString(`${directory}/deep/${name}`)), Option.getOrNull)
      : Effect.succeed(null)
  const report = yield* textOf("review-output.md")
  if (report !== null) {
    yield* Effect.flatMap(
      draft.text(`${directory}/deep/review-output.md`, "review-output.md"),
      note("review-output.md")
    )
  }

  let formatValid = true
  const records: Array<{ readonly stack: string; readonly records: ReadonlyArray<ReviewRecord> }> = []
  for (const name of deep) {
    const stack = /^stack-(.+)-records\.json$/.exec(name)?.[1]
    if (stack === undefined) continue
    const text = yield* textOf(name)
    if (text === null) continue
    formatValid &&= Option.isSome(decodeJson(text))
    records.push({ stack, records: Option.getOrElse(decodeRecords(text), () => []) })
  }
  const verdictText = yield* textOf("recommendation-verdicts.json")
  formatValid &&= verdictText === null || Option.isSome(decodeJson(verdictText))
  const verdicts = verdictText === null ? null : Option.getOrNull(decodeVerdicts(verdictText))
  const files: ArtifactFiles = {
    hasPatch,
    report,
    ledger: Option.getOrElse(decodeLedger((yield* textOf("coverage.json")) ?? ""), () => []),
    records,
    dedup: Option.getOrNull(decodeDedup((yield* textOf("dedup-candidates.json")) ?? "")),
    verdicts: verdicts?.verdicts.map(({ verdict }) => verdict) ?? null,
    formatValid
  }
  return files
})

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeRecords = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(ReviewRecord)))
const decodeVerdicts = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ verdicts: Schema.Array(Schema.Struct({ verdict: Schema.String })) }))
)
const decodeDedup = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      record_alt_pairs: Schema.Array(Schema.Struct({ similarity: Schema.Finite })),
      record_duplicate_pairs: Schema.Array(Schema.Unknown)
    })
  )
)
const decodeLedger = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        path: Schema.String,
        status: Schema.Literals(["reviewed", "skipped", "unread"]),
        reason: Schema.String
      })
    )
  )
)

/** Where no artifacts are kept, the findings of the stacks are all there is of their claims. */
export const recordsOf = (result: Pick<ReviewResult, "findings"> | null) => {
  const stacks = new Map<string, Array<ReviewRecord>>()
  for (const finding of result?.findings ?? []) {
    if (finding.stack === alternativesStack) continue
    const { description, file, id, line, rationale, severity } = finding
    const record = ReviewRecord.make({
      id,
      description,
      file,
      line,
      confidence: finding.confidence,
      severity,
      rationale,
      evidence: finding.evidence,
      ...(finding.source === "static" ? { rule: finding.rule } : {})
    })
    // A finding that several stacks reported names all of them.
    const stack = finding.stack.split("+")[0] ?? finding.stack
    const known = stacks.get(stack)
    if (known === undefined) stacks.set(stack, [record])
    else known.push(record)
  }
  return [...stacks].map(([stack, records]) => ({ stack, records }))
}
