/**
 * Finds the trajectories of runs on disk. A directory of runs must not be a link, because a repository may contain any.
 */
import { Effect, FileSystem, Option, Schema } from "effect"
import { isSessionId } from "../../domain/run/SessionId.ts"
import { placesOf } from "../../domain/run/TrajectoryPlaces.ts"
import { compareText } from "../../domain/text/compareText.ts"

export class TrajectoryNotFound extends Schema.TaggedError<TrajectoryNotFound>()("TrajectoryNotFound", {
  run: Schema.NullOr(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return this.run === null ? this.reason : `no trajectory of ${this.run}: ${this.reason}`
  }
}

/** The type of a file; null if there is none. */
export const typeOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return Option.getOrNull(yield* Effect.option(fs.stat(path)))?.type ?? null
})

/** The first path that is a file. */
export const firstFile = Effect.fnUntraced(function* (candidates: ReadonlyArray<string>) {
  for (const path of candidates) if ((yield* typeOf(path)) === "File") return path
  return null
})

/** A complete document first. Tried again, because the journal may become a document in between. */
const recordIn = (directory: string) => {
  const { document, journal } = placesOf(`${directory}/trajectory.json`)
  return firstFile([document, journal, `${document}.partial`, document])
}

/** Reads no data of other runs: an archive may have a hundred thousand. */
const runsIn = Effect.fnUntraced(function* (directory: string, prefix: string) {
  const fs = yield* FileSystem.FileSystem
  const isOwn = (yield* Effect.map(Effect.option(fs.lstat(directory)), Option.getOrNull))?.type === "Directory"
  const names = isOwn ? Option.getOrElse(yield* Effect.option(fs.readDirectory(directory)), () => []) : []
  const wanted = names.filter((name) => isSessionId(name) && name.startsWith(prefix))
  const seen = yield* Effect.forEach(wanted, (name) =>
    Effect.map(Effect.option(fs.lstat(`${directory}/${name}`)), (info) => ({
      name,
      info: Option.getOrNull(info)
    }))
  )
  return seen.flatMap(({ info, name }) =>
    info?.type === "Directory"
      ? [{ name, path: `${directory}/${name}`, at: Option.getOrUndefined(info.mtime)?.getTime() ?? 0 }]
      : []
  )
})

export const findRun = Effect.fnUntraced(function* (
  run: string | null,
  directories: ReadonlyArray<string>,
  counts?: (path: string) => Effect.Effect<boolean>
) {
  if (run !== null) {
    const type = yield* typeOf(run)
    if (type === "File") return run
    const inside = type === "Directory" ? yield* recordIn(run) : null
    if (inside !== null) return inside
  }
  const prefix = run?.toLowerCase() ?? ""
  const wanted = (yield* Effect.forEach(directories, (directory) => runsIn(directory, prefix))).flat()
  const names = [...new Set(wanted.map(({ name }) => name))].sort(compareText)
  if (run !== null && names.length > 1) {
    return yield* new TrajectoryNotFound({
      run,
      reason: `more than one session starts with it: ${names.join(", ")}`
    })
  }
  for (const { path } of wanted.toSorted((a, b) => b.at - a.at || compareText(a.name, b.name))) {
    const record = yield* recordIn(path)
    if (record !== null && (run !== null || counts === undefined || (yield* counts(record)))) return record
  }
  const reason =
    run === null
      ? "no run of this repository has a trajectory; name another run by its session id"
      : "it is not the file or directory of a run, and no session id starts with it; dd archive list shows the ids"
  return yield* new TrajectoryNotFound({ run, reason })
})

export const journalsIn = Effect.fnUntraced(function* (directories: ReadonlyArray<string>) {
  const runs = (yield* Effect.forEach(directories, (directory) => runsIn(directory, ""))).flat()
  const found = runs.map(({ path }) => placesOf(`${path}/trajectory.json`).journal)
  return yield* Effect.filter(found, (path) => Effect.map(typeOf(path), (type) => type === "File"))
})
