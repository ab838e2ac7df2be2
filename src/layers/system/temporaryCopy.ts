/**
 * A directory for a copy of files under review. It is removed with its scope or, after a kill, by the next run.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { abandonedIn, copyPrefix, systemTemporary, workFolder } from "./abandonedCopies.ts"
import { isInside } from "./isInside.ts"

export interface CopyPlace {
  /** dd's own directory; null if there is none. */
  readonly home: string | null
  /** The root of the repository under review; null if there is none. */
  readonly reviewed: string | null
}

/** Only this user can read it. */
export const temporaryCopy = Effect.fnUntraced(function* (place: CopyPlace) {
  const fs = yield* FileSystem.FileSystem
  const parent = yield* parentFor(place)
  const made = yield* Effect.acquireRelease(
    Effect.flatMap(copyPrefix, (prefix) => fs.makeTempDirectory({ directory: parent, prefix })),
    (made) =>
      fs
        .remove(made, { recursive: true, force: true })
        .pipe(Effect.catch((error) => Effect.logWarning(`${made} could not be removed: ${systemErrorText(error)}`)))
  )
  yield* fs.chmod(made, 0o700)
  return made
})

/** dd's own directory, where no other user can put a file above the copy; otherwise the system's temporary directory. */
const parentFor = Effect.fnUntraced(function* ({ home, reviewed }: CopyPlace) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const temporary = systemTemporary()
  yield* sweep(temporary)
  if (home === null) return temporary
  const real = (file: string) => Effect.map(Effect.option(fs.realPath(file)), Option.getOrNull)
  const root = reviewed === null ? null : yield* real(reviewed)
  const parent = paths.join(home, workFolder)
  yield* fs.makeDirectory(parent, { recursive: true, mode: 0o700 })
  const made = (yield* real(parent)) ?? parent
  // CLIs also read files in the folders above the copy.
  if (root !== null && isInside(paths, root, made)) return temporary
  yield* sweep(made)
  return made
})

/** Another run may clean up at the same time. */
const sweep = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  for (const path of yield* abandonedIn(directory))
    yield* Effect.option(fs.remove(path, { recursive: true, force: true }))
})
