/** Files that git would open and wait for: a FIFO that no process writes to blocks until the deadline. */
import { Effect, FileSystem, Option, Path } from "effect"
import { GitWouldWait } from "./GitError.ts"
import type { Repository } from "./openRepository.ts"

export type GitWaits = Effect.Success<typeof makeGitWaits>

export const makeGitWaits = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path

  const waitAt = Effect.fnUntraced(function* (root: string, path: string) {
    const found = yield* Effect.option(fs.lstat(paths.join(root, path)))
    return Option.isSome(found) && found.value.type === "FIFO" ? new GitWouldWait({ path }) : null
  })

  /** The error for a file in the root of the working tree; null if git does not have to wait for it. */
  const atRoot = ({ root }: Repository, path: ".gitattributes" | ".gitignore") =>
    root === null ? Effect.succeed(null) : waitAt(root, path)

  const refuseAnywhere = Effect.fnUntraced(function* (root: string) {
    const all = yield* Effect.option(fs.readDirectory(root, { recursive: true }))
    for (const path of Option.getOrElse(all, () => []).filter((each) => gitReads.test(each))) {
      const wait = yield* waitAt(root, path)
      if (wait !== null) return yield* wait
    }
    return yield* Effect.never
  })

  /** Git reads such files in every folder. dd searches for them only if git is slow. */
  const watched =
    ({ root }: Repository) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | GitWouldWait, R> =>
      root === null ? self : Effect.raceFirst(self, Effect.delay(refuseAnywhere(root), "1 second"))

  return { atRoot, watched }
})

/** Files that git opens without being given their path; relative to the root of the working tree. */
const gitReads = /(?:^|\/)\.git(?:attributes|ignore)$|^\.git\/info\/(?:attributes|exclude)$/
