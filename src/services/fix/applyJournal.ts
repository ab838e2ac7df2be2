/**
 * The plans of runs that are changing files of the user, so that what a killed run left half done can be undone.
 *
 * They are in dd's own directory (`applying/`), because a repository could contain a plan of its own. A plan is on disk
 * before the first file is changed. Without a directory of dd's own nothing is kept.
 */
import { Clock, Effect, FileSystem, Option, Path, Schema } from "effect"
import { ApplyPlan, type PlannedFile } from "../../domain/fix/ApplyPlan.ts"
import { daydreamHome } from "../run/Settings.ts"
import { RunningProcess } from "../system/RunningProcess.ts"
import { systemErrorText } from "../system/systemErrorText.ts"

export interface KeptPlan {
  readonly plan: ApplyPlan
  readonly remove: Effect.Effect<void>
}

const folderOf = Effect.gen(function* () {
  const home = yield* daydreamHome
  return home === null ? null : (yield* Path.Path).join(home, "applying")
})

const kept = (fs: FileSystem.FileSystem, plan: ApplyPlan, place: string): KeptPlan => ({
  plan,
  remove: fs
    .remove(place, { force: true })
    .pipe(Effect.catch((error) => Effect.logWarning(`${place} was not removed: ${systemErrorText(error)}`)))
})

/** Stores a plan of this process; where that is not possible, warns. */
export const keepPlan = Effect.fn("ApplyJournal.keep")(function* (root: string, files: ReadonlyArray<PlannedFile>) {
  const fs = yield* FileSystem.FileSystem
  const running = yield* RunningProcess
  const started_at = yield* Clock.currentTimeMillis
  const plan: ApplyPlan = { schema_version: 1, root, started_at, process: running.self, files }
  const folder = yield* folderOf
  if (folder === null) return { plan, remove: Effect.void }
  const place = (yield* Path.Path).join(folder, `${running.self.pid}-${started_at}.json`)
  const sync = (path: string) => Effect.scoped(Effect.flatMap(fs.open(path), (file) => file.sync))
  yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(fs.open(place, { flag: "wx", mode: 0o600 })),
    Effect.flatMap((file) => Effect.andThen(file.writeAll(new TextEncoder().encode(`${encode(plan)}\n`)), file.sync)),
    Effect.scoped,
    Effect.andThen(sync(folder)),
    Effect.catch((error) =>
      Effect.logWarning(`a kill while the fixes are applied cannot be undone: ${place}: ${systemErrorText(error)}`)
    )
  )
  return kept(fs, plan, place)
})

/** The plans of processes that no longer run. */
export const leftPlans = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const running = yield* RunningProcess
  const found: Array<KeptPlan> = []
  const folder = yield* folderOf
  if (folder === null) return found
  for (const name of Option.getOrElse(yield* Effect.option(fs.readDirectory(folder)), () => []).toSorted()) {
    const place = paths.join(folder, name)
    // A plan that was not written whole has not been used.
    const plan = Option.getOrNull(Option.flatMap(yield* Effect.option(fs.readFileString(place)), decode))
    if (plan !== null && !(yield* running.isRunning(plan.process))) found.push(kept(fs, plan, place))
  }
  return found
}).pipe(Effect.withSpan("ApplyJournal.left"))

const Stored = Schema.fromJsonString(ApplyPlan)
const encode = Schema.encodeSync(Stored)
const decode = Schema.decodeUnknownOption(Stored)
