/**
 * Writes a file the user named so that a reader sees the old one or the new one, never half of either.
 *
 * Written beside the target under a name nobody else has, and renamed over it; a link is replaced, not written
 * through, for a repository may have planted it. A device, a pipe, and whatever lies under /dev or /proc is
 * written to where it is, but for shared memory, which holds files like any other directory.
 */
import { Effect, FileSystem, Option, Path, Random } from "effect"

/** Makes the directories on the way; `path` is relative to the working directory of the process. Keeps the file's mode. */
export const writeWhole = Effect.fnUntraced(function* (path: string, content: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const target = paths.resolve(path)
  const known = yield* Effect.option(fs.lstat(target))
  const isFile = Option.isNone(known) || known.value.type === "File" || known.value.type === "SymbolicLink"
  if (!isFile || /^\/(?:dev(?!\/shm\/)|proc)\//.test(target)) return yield* fs.writeFileString(target, content)

  const draft = `${target}.${yield* Random.nextIntBetween(0, 2 ** 32)}.draft`
  const mode = Option.isSome(known) && known.value.type === "File" ? { mode: known.value.mode & 0o777 } : {}
  yield* fs.makeDirectory(paths.dirname(target), { recursive: true })
  yield* fs.writeFileString(draft, content, { flag: "wx", ...mode }).pipe(
    Effect.andThen(fs.rename(draft, target)),
    Effect.onError(() => Effect.option(fs.remove(draft, { force: true })))
  )
})
