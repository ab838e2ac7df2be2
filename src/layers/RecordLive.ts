/** Where a run is recorded: its artifacts, its trajectory, the archive, the spool of sessions. */
import { Effect, FileSystem, Layer, type Path, type Scope } from "effect"
import type { Recording } from "../domain/record/Recording.ts"
import type { RunEvent } from "../domain/run/RunEvent.ts"
import { Archive, type RunToArchive } from "../services/record/Archive.ts"
import { recordDraft } from "../services/record/Bundles.ts"
import { layer as dismissalsIn } from "../services/record/dismissals.ts"
import { Artifacts } from "../services/review/Artifacts.ts"
import { Recorder } from "../services/run/Recorder.ts"
import type { Redactor } from "../services/secret/Redactor.ts"
import * as ArchiveLive from "./ArchiveLive.ts"
import * as RunRecorder from "./dream/runRecorder.ts"
import * as Trajectory from "./record/recorder/Trajectory.ts"
import * as ArtifactDirectory from "./review/artifacts/Directory.ts"
import * as ArtifactsNone from "./review/artifacts/None.ts"

export interface Options<R> extends Omit<RunToArchive, "artifacts" | "evaluates" | "retention"> {
  readonly answering: object | null
  /** `DD_HOME`, or `~/.daydream`; null if there is neither. */
  readonly home: string | null
  /** False for a preview: nothing is written. */
  readonly writes: boolean
  /** Path of the trajectory; null: in the run's own directory, if there is one. */
  readonly trajectory: string | null
  /** A recorded run that replaces the backend. */
  readonly replay: Recording | null
  /** Where the run is archived when it ends, and what is kept there; null: it is not archived. */
  readonly archive: {
    readonly directory: string
    /** Is the run evaluated? */
    readonly evaluates: boolean
    readonly retention: RunToArchive["retention"]
  } | null
  /** Other recorders: progress, the `jsonl` stream. */
  readonly watchers: ReadonlyArray<Effect.Effect<Recorder["Service"], never, R>>
}

export const artifacts = <R>({ repository, sessionId, writes }: Options<R>) => {
  if (!writes || repository === null || repository.root === null) return ArtifactsNone.layer
  return ArtifactDirectory.layer(repository.root, sessionId)
}

export const archive = <R>(options: Options<R>) => {
  const { archive, sessionId, writes } = options
  if (!writes || archive === null) return Archive.layerNone
  return Layer.unwrap(
    Effect.gen(function* () {
      const { directory, runDirectory } = yield* Artifacts
      const fs = yield* FileSystem.FileSystem
      const draft = recordDraft(archive.directory, sessionId)
      // Runs after the run is archived: the archive has its own copy.
      yield* Effect.addFinalizer(() => Effect.option(fs.remove(draft, { recursive: true, force: true })))
      return Archive.layer({
        ...options,
        artifacts: directory,
        trajectory: trajectoryOf(options, runDirectory),
        evaluates: archive.evaluates,
        retention: archive.retention
      })
    })
  ).pipe(Layer.provide(ArchiveLive.store(archive.directory)))
}

/** What was rejected in earlier reviews of the repository; for reviews by models. */
export const dismissals = <R>({
  answering,
  archive,
  replay,
  repository
}: Pick<Options<R>, "answering" | "archive" | "replay" | "repository">) =>
  answering === null || replay !== null || archive === null || repository === null
    ? Layer.empty
    : dismissalsIn(repository).pipe(Layer.provide(ArchiveLive.bundles(archive.directory)))

/** The path of the trajectory; null if there is no place for one. */
const trajectoryOf = <R>({ archive, sessionId, trajectory, writes }: Options<R>, runDirectory: string | null) => {
  if (trajectory !== null || !writes) return trajectory
  if (runDirectory !== null) return `${runDirectory}/trajectory.json`
  return archive === null ? null : `${recordDraft(archive.directory, sessionId)}/trajectory.json`
}

const noRecord =
  "this run is not recorded: there is no .daydream/ to write to, and it is not archived; to record it, add --trajectory PATH"

/** Events go to the trajectory, to the session of an archived run, and to the watchers. A path that the user chose must be writable. */
export const recorder = <R>(options: Options<R>) => {
  const { archive, home, replay, repository, sessionId, trajectory, version, watchers, writes } = options
  return Layer.unwrap(
    Effect.gen(function* () {
      const { runDirectory } = yield* Artifacts
      const about = { sessionId, version, target: repository?.root ?? null }
      const required = trajectory === null || !writes ? [] : [Trajectory.make({ ...about, document: trajectory })]
      const document = trajectoryOf(options, runDirectory)
      // A replay repeats a run that has a record.
      if (document === null && writes && replay === null) yield* Effect.logWarning(noRecord)
      const optional =
        trajectory !== null || document === null ? [] : [Trajectory.makeIfPossible({ ...about, document })]
      const session =
        archive === null || !writes || home === null || !repository?.root
          ? []
          : [RunRecorder.make(home, repository.root, sessionId)]
      return recorderOfAll<
        Trajectory.TrajectoryNotBegun,
        R | FileSystem.FileSystem | Path.Path | Redactor | Scope.Scope
      >([...required, ...optional, ...session, ...watchers])
    })
  )
}

/** Gives every event to several recorders, in the order they are listed. */
const recorderOfAll = <E, R>(sinks: ReadonlyArray<Effect.Effect<Recorder["Service"], E, R>>) =>
  Layer.effect(
    Recorder,
    Effect.map(Effect.all(sinks), (recorders) =>
      Recorder.of({
        record: (event: RunEvent) => Effect.forEach(recorders, (each) => each.record(event), { discard: true }),
        missing: Effect.map(
          Effect.forEach(recorders, (each) => each.missing),
          (all) => all.flat()
        )
      })
    )
  )
