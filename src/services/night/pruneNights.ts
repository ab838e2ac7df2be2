/**
 * Removes the reports of old nights in the default place, and the empty directory of one that was killed at once. Never that of the newest night, which may be running, nor that of the night
 * that made the generation that counts; never a link, or what no night wrote.
 */
import { Effect, FileSystem, Path } from "effect"
import { isRunId, runIdOf } from "../../domain/night/Summary.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { systemErrorCode } from "../system/systemErrorText.ts"
import { Corpus } from "./Corpus.ts"
import { nightPlaces } from "./NightFiles.ts"
import { NightFileUnusable } from "./NightFileUnusable.ts"

/** Of a repository, in the default place. */
export const keptNights = 30

/**
 * Gives how many. `kept`: so many of the newest stay, and `run`, which is under way: its id is not the newest after the clock went
 * back. `before`: in milliseconds since 1970, those that began later stay.
 */
export const pruneNights = Effect.fn("pruneNights")(function* (
  old: { readonly kept: number; readonly run: string } | { readonly before: number },
  dryRun: boolean
) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const corpus = yield* Corpus
  const { latest, runs } = nightPlaces(corpus.lockPath)
  const { run } = yield* corpus.current
  const whenThere = <A, B, E, R>(self: Effect.Effect<A, E, R>, otherwise: B) =>
    Effect.catchIf(
      self,
      (error) => systemErrorCode(error) === "ENOENT",
      () => Effect.succeed(otherwise)
    )
  return yield* Effect.gen(function* () {
    const needed = new Set([run, paths.basename((yield* whenThere(fs.readFileString(latest), "")).trim())])
    if ("kept" in old) needed.add(old.run)
    const newestFirst = (yield* whenThere(fs.readDirectory(runs), [])).filter(isRunId).sort(compareText).reverse()
    const isOld = (name: string, at: number) => ("kept" in old ? at >= old.kept : name < runIdOf(old.before))
    let removed = 0
    for (const [at, name] of newestFirst.entries()) {
      if (needed.has(name) || at === 0) continue
      const { type } = yield* fs.lstat(paths.join(runs, name))
      if (type !== "Directory") continue
      if (!isOld(name, at) && (yield* fs.readDirectory(paths.join(runs, name))).length > 0) continue
      if (!dryRun) yield* fs.remove(paths.join(runs, name), { recursive: true, force: true })
      removed++
    }
    return removed
  }).pipe(Effect.mapError(NightFileUnusable.of(runs)))
})
