/**
 * Writes a file named by the user atomically: a reader sees the old one or the new one.
 *
 * It is written next to the target under a unique name and renamed over it; a link is replaced, because a repository
 * may have planted it. Devices, pipes and anything under /dev or /proc are written to directly, except shared memory,
 * which has regular files.
 */
import { Effect, FileSystem, Option, Path, Random } from "effect"

/**
 * Creates missing directories; `path` is relative to the working directory of the process. Preserves the file's mode.
 */
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
