/**
 * Writes a file so that a reader sees the old one or the new one, never half of either.
 *
 * Written beside the target and renamed over it. What lies under the draft's name may be a link that a
 * repository left to be written through: it is removed, and the draft is created anew.
 */
import { Effect, FileSystem, Path } from "effect"

/** Makes the directories on the way; `path` is relative to the working directory of the process. */
export const writeWhole = Effect.fnUntraced(function* (path: string, content: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const target = paths.resolve(path)
  const draft = `${target}.draft`
  yield* fs.makeDirectory(paths.dirname(target), { recursive: true })
  yield* fs.remove(draft, { force: true })
  yield* fs.writeFileString(draft, content, { flag: "wx" })
  yield* fs.rename(draft, target)
})
