/**
 * Archives every run: when its scope closes, however it ended, a bundle of its files and then a row in the index.
 *
 * A failure here never fails the run: it is a warning, an entry in `missing` while the result can still contain it, and
 * changes no exit code. A process killed in between leaves a bundle without a row, which `dd archive rebuild-index`
 * indexes, and never a row without a bundle.
 */
import { Cause, Clock, Context, DateTime, Effect, Exit, type FileSystem, Layer, type Path, Ref, Schema } from "effect"
import { builtInPrices } from "../../domain/agent/Prices.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Degraded } from "../../domain/change/Degraded.ts"
import { costOfRun } from "../../domain/record/costOfRun.ts"
import { evaluate, hasReview } from "../../domain/record/Evaluation.ts"
import { manifestOf } from "../../domain/record/manifestOf.ts"
import { RunManifest, rowOf } from "../../domain/record/RunManifest.ts"
import { recordsOfFindings } from "../../domain/record/recordsOfFindings.ts"
import type { PullRequestName } from "../../domain/review/FindingsArtifact.ts"
import { findingsFileOf } from "../../domain/review/FindingsFile.ts"
import type { Loop } from "../../domain/review/Loop.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import type { SessionId } from "../../domain/run/SessionId.ts"
import type { Repository } from "../change/openRepository.ts"
import { redactedPatch } from "../review/redactedPatch.ts"
import { Redactor } from "../secret/Redactor.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { ArchiveIndex } from "./ArchiveIndex.ts"
import { type BundleDraft, Bundles } from "./Bundles.ts"
import { pruneDaily, type Retention } from "./pruneRuns.ts"
import {
  type ArtifactFiles,
  copyArtifacts,
  copyTrajectories,
  type FileMarks,
  fileMarks,
  type RunRecord
} from "./runFiles.ts"
import type { Trajectories } from "./Trajectories.ts"

export interface RunToArchive {
  readonly sessionId: SessionId
  readonly version: string
  readonly flow: string
  /** The skill that every reviewer used; null: each has its own. */
  readonly skill: string | null
  /** The pass of `--loop`; null: a single review. */
  readonly loop: Loop | null
  readonly backend: string
  readonly change: Change
  readonly repository: Repository | null
  /** Of the change; null if it is unknown. */
  readonly pullRequest: PullRequestName | null
  /** `.daydream` or the directory this run uses instead; null if it keeps no artifacts. */
  readonly artifacts: string | null
  /** Where its trajectory is written; null if it has none. */
  readonly trajectory: string | null
  readonly evaluates: boolean
  readonly retention: Retention
}

export class Archive extends Context.Service<
  Archive,
  {
    /** Sets the result. A run without a result was stopped or failed. */
    readonly conclude: (result: ReviewResult) => Effect.Effect<void>
    /** Why the run will not be archived, as far as is known before its end. */
    readonly missing: Effect.Effect<ReadonlyArray<Degraded>>
  }
>()("dd/services/record/Archive") {
  /** For users who disabled the archive. */
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
        const before = yield* fileMarks(run.artifacts, () => () => undefined)
        const startedMillis = yield* monotonicMillis
        const context = yield* Effect.context<
          ArchiveIndex | Bundles | FileSystem.FileSystem | Path.Path | Redactor | Trajectories
        >()
        // Created before the review, so that its result can contain the failure.
        const draft = yield* Effect.result(bundles.createDraft(run.sessionId))
        const missing: ReadonlyArray<Degraded> =
          draft._tag === "Success"
            ? []
            : [{ step: "archive", error: draft.failure._tag, detail: notArchived(draft.failure.message) }]
        for (const { detail } of missing) yield* Effect.logWarning(detail)
        if (draft._tag === "Success") {
          yield* Effect.addFinalizer((exit) =>
            Effect.flatMap(Ref.get(concluded), (result) =>
              archive(run, { before, draft: draft.success, exit, result, startedAt, startedMillis })
            ).pipe(
              Effect.catch((error) => Effect.logWarning(notArchived(error.message))),
              // A defect here does not fail the review.
              Effect.catchDefect((defect) => Effect.logWarning(notArchived(`a defect in dd: ${String(defect)}`))),
              Effect.provideContext(context)
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
  /** Monotonic. */
  readonly startedMillis: number
  /** The artifacts that existed before the run. */
  readonly before: FileMarks
}

const archive = Effect.fn("Archive.archive")(function* (run: RunToArchive, end: End) {
  const { before, draft, exit, result, startedAt, startedMillis } = end
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const redactor = yield* Redactor
  const opened = yield* Effect.result(index.open)
  // The index of a newer dd is not changed, and neither are the files around it.
  if (opened._tag === "Failure" && opened.failure._tag === "ArchiveTooNew") return yield* opened.failure
  if (opened._tag === "Success" && opened.success.movedAside !== null) {
    yield* Effect.logWarning(
      `the archive's index was damaged and was moved to ${opened.success.movedAside}; the next dd archive command rebuilds it`
    )
  }
  const missed: Array<{ readonly name: string; readonly reason: string }> = []
  const note = (name: string) => (reason: string | null) => {
    if (reason !== null) missed.push({ name, reason })
  }

  const [record, files] = yield* Effect.all(
    [copyTrajectories(run.trajectory, draft, note), copyArtifacts(run.artifacts, draft, note, before)],
    { concurrency: "unbounded" }
  )
  if (!files.hasPatch) {
    yield* draft.bytes("diff.patch", yield* redactedPatch(run.change.patch, redactor.inPieces()))
  }
  if (result !== null) yield* draft.json("findings.json", findingsFileOf(result))
  const evaluation = evaluationOf(run, result, record, files)
  if (evaluation !== null) yield* draft.json("evaluation.json", evaluation)

  const now = yield* Clock.currentTimeMillis
  const { root, siblings } = record
  const manifest = yield* decodeManifest(
    redactor.value(
      manifestOf({
        ...run,
        loops: run.loop !== null,
        root: run.repository?.root ?? null,
        remoteUrl: run.repository?.remoteUrl ?? null,
        startedAt: isoOf(startedAt),
        archivedAt: isoOf(now),
        durationMs: (yield* monotonicMillis) - startedMillis,
        archivePath: bundles.pathOf(run.sessionId),
        result,
        ...endOf(exit, result),
        trajectory: root,
        siblings: [...siblings.values()],
        cost: costOf(record, result),
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
  // An index that lacks rows does not have every size and label.
  if (result !== null && opened._tag === "Success" && !opened.success.incomplete && added._tag === "Success") {
    yield* Effect.catch(pruneDaily(run.retention), ({ message }) =>
      Effect.logWarning(`old runs stay in the archive: ${message}; see dd archive prune --help`)
    )
  }
  // What an interrupted run lacks is in its manifest.
  if (Exit.hasInterrupts(exit)) return
  for (const { name, reason } of missed) yield* Effect.logWarning(`the archived run lacks ${name}: ${reason}`)
})

const costOf = ({ root }: RunRecord, result: ReviewResult | null) =>
  root === null ? (result?.cost ?? null) : costOfRun(root)

const evaluationOf = (run: RunToArchive, result: ReviewResult | null, record: RunRecord, files: ArtifactFiles) => {
  const { root, siblings } = record
  const cost = costOf(record, result)
  if (!run.evaluates || root === null || cost === null || !hasReview({ root, siblings })) return null
  return evaluate({
    sessionId: run.sessionId,
    directory: run.artifacts,
    isStatic: run.backend === "static",
    root,
    siblings,
    cost,
    diffFiles: run.change.diff.files.map(({ path }) => path),
    ledger: result?.coverage.files ?? files.ledger,
    records: files.records ?? recordsOfFindings(result?.findings ?? []),
    dedup: files.dedup,
    findings: result?.findings.length ?? null,
    report: files.report,
    verdicts: files.verdicts,
    formatValid: files.formatValid
  })
}

/** The row is made from the redacted manifest, as it is in the bundle. */
const decodeManifest = Schema.decodeUnknownEffect(RunManifest)

const isoOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** A run with a result has concluded: findings at the threshold fail the command, not the run. */
const endOf = (exit: Exit.Exit<unknown, unknown>, result: ReviewResult | null) => {
  if (result !== null || Exit.isSuccess(exit)) return { ended: "concluded", error: null } as const
  if (Cause.hasInterruptsOnly(exit.cause)) return { ended: "interrupted", error: null } as const
  const error = Cause.squash(exit.cause)
  return { ended: "failed", error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) } as const
}
