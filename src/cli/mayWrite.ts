/** Whether something can be written to a path, before the work is done whose result goes there. */
import { Effect, FileSystem, Path } from "effect"
import { troubleOf } from "../services/trouble.ts"
import { UsageWrong } from "./reviewFlags.ts"

export const mayWrite = Effect.fnUntraced(function* (flag: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const refused = (reason: string) => new UsageWrong({ reason: `${flag}: ${reason}` })
  if (path === "-") {
    return yield* refused("standard output has the format of --format; a file of that name is written as ./-")
  }
  if (/[\\/]$/.test(path)) return yield* refused("it is a directory")
  const whole = paths.resolve(path)
  for (let place = whole; ; place = paths.dirname(place)) {
    const found = yield* fs.stat(place).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotFound" && place !== paths.dirname(place),
        () => Effect.succeed(null)
      ),
      Effect.mapError((error) => refused(troubleOf(error)))
    )
    if (found === null) continue
    const isDirectory = found.type === "Directory"
    if (place === whole && isDirectory) return yield* refused("it is a directory")
    if (place !== whole && !isDirectory) return yield* refused("a part of the path is not a directory")
    return yield* fs.access(place, { writable: true }).pipe(Effect.mapError((error) => refused(troubleOf(error))))
  }
})
