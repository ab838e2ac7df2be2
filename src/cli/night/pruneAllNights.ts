/** Removes old reports of nights, of every repository. A corpus that cannot be used keeps them, with a warning. */
import { Effect, FileSystem, Path } from "effect"
import * as Directory from "../../layers/night/corpus/Directory.ts"
import { corporaName } from "../../services/night/Corpus.ts"
import { pruneNights } from "../../services/night/pruneNights.ts"
import { daydreamHome } from "../../services/run/Settings.ts"

/** `before`: in milliseconds since 1970. Gives how many. */
export const pruneAllNights = Effect.fnUntraced(function* (before: number, dryRun: boolean) {
  const home = yield* daydreamHome
  if (home === null) return 0
  const fs = yield* FileSystem.FileSystem
  const corpora = yield* Effect.orElseSucceed(fs.readDirectory((yield* Path.Path).join(home, corporaName)), () => [])
  const removed = yield* Effect.forEach(corpora, (project) =>
    pruneNights({ before }, dryRun).pipe(
      Effect.provide(Directory.layerOf(home, project)),
      Effect.catch(({ message }) => Effect.as(Effect.logWarning(`reports of nights stay: ${message}`), 0))
    )
  )
  return removed.reduce((sum, n) => sum + n, 0)
})
