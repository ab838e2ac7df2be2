/**
 * Artifacts in `<root>/.daydream`, which has its own `.gitignore`.
 *
 * One run at a time owns the directory; a concurrent one keeps its files under `runs/<session>` and reports it. The
 * newest 20 run directories are kept, and those with a journal without a trajectory, whose run is active or was killed
 * (docs/decisions/0009).
 */
import { Effect, Layer, Option, Path, Result } from "effect"
import { placesOf } from "../../../domain/run/TrajectoryPlaces.ts"
import { ArtifactNotWritten, Artifacts, ArtifactUnreadable } from "../../../services/review/Artifacts.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import { OwnFiles } from "../../system/OwnFiles.ts"
import * as Lock from "./Lock.ts"
import { nowhere } from "./None.ts"

/** How many directories of runs a repository keeps. */
const keptRuns = 20
const { journal } = placesOf("trajectory.json")
const sessionName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const layer = (root: string, session: string) =>
  Layer.effect(
    Artifacts,
    Effect.gen(function* () {
      const paths = yield* Path.Path
      const files = new OwnFiles(root, ".daydream", session)
      const ownRun = `runs/${session}`

      yield* Effect.addFinalizer(() => Effect.sync(() => Result.try(() => files.removeIfEmpty(ownRun))))

      const prepared = Result.try(() => files.ensure(ownRun))
      if (Result.isFailure(prepared)) {
        return nowhere(`no files are written to ${files.top}: ${systemErrorText(prepared.failure)}`)
      }
      // A directory that cannot be removed now is tried again by the next run.
      Result.try(() => files.prune("runs", sessionName, keptRuns, journal))

      const owned = yield* Lock.acquire(paths.join(files.top, "lock"), session)
      const base = owned ? "" : ownRun
      const within = (name: string) => paths.join(base, name)

      const change = (name: string, act: () => void) =>
        Effect.try({ try: act, catch: (cause) => new ArtifactNotWritten({ name, reason: systemErrorText(cause) }) })
      const look = <A>(name: string, act: () => A) =>
        Effect.try({ try: act, catch: (cause) => new ArtifactUnreadable({ name, reason: systemErrorText(cause) }) })

      return Artifacts.of({
        directory: paths.join(files.top, base),
        runDirectory: paths.join(files.top, ownRun),
        notice: owned
          ? null
          : `another review is running in this repository; this one keeps its files in .daydream/${base}`,
        refused: false,
        write: (name, content) => change(name, () => files.replace(within(name), content)),
        read: (name) => look(name, () => Option.fromNullishOr(files.read(within(name)))),
        remove: (name) => change(name, () => files.remove(within(name))),
        list: (name) => look(name, () => files.list(within(name)))
      })
    })
  )
