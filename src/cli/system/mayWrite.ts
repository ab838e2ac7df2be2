/**
 * Checks before the review that its files can be written, each to a different path. A directory is checked by creating
 * a directory in it, because in /proc and /sys the permissions of root are wrong.
 */
import { Effect, FileSystem, Path } from "effect"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { UsageWrong } from "../review/reviewFlags.ts"

export const mayWriteAll = Effect.fnUntraced(function* (given: ReadonlyArray<readonly [flag: string, path: string]>) {
  const taken = new Map<string, string>()
  for (const [flag, path] of given) {
    const file = yield* mayWrite(`${flag}${path}`, path)
    if (file === null) continue
    const other = taken.get(file)
    if (other !== undefined) {
      return yield* new UsageWrong({ reason: `${other} and ${flag}${path} would write the same file` })
    }
    taken.set(file, `${flag}${path}`)
  }
})

/**
 * The real path of the file; its last part is not resolved, because a link is replaced. Null for a device or a pipe.
 */
const mayWrite = Effect.fnUntraced(function* (flag: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const refused = (reason: string) => new UsageWrong({ reason: `${flag}: ${reason}` })
  if (path === "-") {
    return yield* refused("--format chooses what is printed to standard output; for a file named - write ./-")
  }
  if (/[\\/]$/.test(path)) return yield* refused("it is a directory")
  const whole = paths.resolve(path)
  for (let place = whole; ; place = paths.dirname(place)) {
    const found = yield* fs.stat(place).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotFound" && place !== paths.dirname(place),
        () => Effect.succeed(null)
      ),
      Effect.mapError((error) => refused(systemErrorText(error)))
    )
    if (found === null) continue
    const isDirectory = found.type === "Directory"
    if (place === whole && isDirectory) return yield* refused("it is a directory")
    if (place !== whole && !isDirectory) return yield* refused("a part of the path is not a directory")
    const probe = isDirectory
      ? Effect.scoped(fs.makeTempDirectoryScoped({ directory: place, prefix: ".dd-" }))
      : fs.access(place, { writable: true })
    yield* Effect.mapError(probe, (error) => refused(systemErrorText(error)))
    if (!isDirectory && found.type !== "File") return null
    const directory = isDirectory ? place : paths.dirname(place)
    const real = yield* Effect.mapError(fs.realPath(directory), (error) => refused(systemErrorText(error)))
    return paths.join(real, paths.relative(directory, whole))
  }
})
