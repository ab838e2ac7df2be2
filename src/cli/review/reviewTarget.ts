/**
 * Resolves `dd review TARGET`: the repository around the target, and the part of the change below it.
 *
 * A target that no longer exists is valid only if the change touched it, so that a misspelt path is an error and not a
 * clean review.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { Git } from "../../services/change/Git.ts"
import { NotARepository, pathMissing } from "../../services/change/GitError.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { UsageWrong } from "./reviewFlags.ts"

export interface Target {
  readonly typed: string
  /** The target, or the nearest directory above it that exists. */
  readonly existing: string
  /** The absolute path; links in its existing part are resolved. */
  readonly path: string
  readonly gone: boolean
}

export const targetOf = Effect.fnUntraced(function* (typed: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const whole = paths.resolve(typed)
  for (let place = whole; ; place = paths.dirname(place)) {
    const real = yield* fs.realPath(place).pipe(Effect.orElseSucceed(() => null))
    if (real === null && place !== paths.dirname(place)) continue
    // A link to a device or a pipe is reviewed as the link.
    const isSpecial =
      place === whole && !/^(?:File|Directory)$/.test((yield* Effect.option(fs.stat(place))).pipe(typeOf))
    const folder = isSpecial ? yield* fs.realPath(paths.dirname(whole)) : null
    const existing = folder === null ? (real ?? place) : paths.join(folder, paths.basename(whole))
    const target: Target = {
      typed,
      existing: folder ?? (place === whole ? typed : existing),
      path: paths.join(existing, paths.relative(place, whole)),
      gone: place !== whole
    }
    return target
  }
})

const typeOf = Option.match({
  onNone: () => "File",
  onSome: ({ type }: FileSystem.File.Info) => type
})

/** The repository around the target. */
export const openAround = (target: Target) =>
  Git.use((git) => git.open(target.existing)).pipe(
    Effect.catchTag("NotARepository", (error) =>
      Effect.fail(target.gone ? new NotARepository({ path: target.typed, reason: pathMissing }) : error)
    )
  )

/** Limits the change to the target. */
export const within = Effect.fnUntraced(function* (change: Change, repository: Repository | null, target: Target) {
  const paths = yield* Path.Path
  if (repository === null || repository.root === null) return change
  const inside = paths.relative(repository.root, target.path)
  if (inside === "" || inside.startsWith("..")) return change
  const isWithin = (path: string | null) => path === inside || path?.startsWith(`${inside}/`) === true
  const files = change.diff.files.filter(({ path, oldPath }) => isWithin(path) || (target.gone && isWithin(oldPath)))
  if (target.gone && files.length === 0) {
    return yield* new UsageWrong({
      reason: `${target.typed} does not exist, neither on disk nor in ${change.description} (for a commit use --commit, for a branch --branch, for A..B --base A --branch B)`
    })
  }
  const none = files.length === 0 && change.diff.files.length > 0 ? "; no changes there" : ""
  return { ...change, inside, diff: { files }, description: `${change.description}, only ${inside}${none}` }
})
