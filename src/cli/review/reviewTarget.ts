/**
 * What `dd review TARGET` means: the repository around a place, and of its change what lies there.
 *
 * A place that is gone from disk still means what the change did there, as long as the change did something: a name that
 * was mistyped is never taken for a clean answer.
 */
import { Effect, FileSystem, Path } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { UsageWrong } from "./reviewFlags.ts"

export interface Target {
  readonly typed: string
  /** The nearest directory or file that is there: the place itself, or what is above it. */
  readonly existing: string
  /** The whole path, links before the part that is gone followed. */
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
    const existing = real ?? place
    const target: Target = {
      typed,
      existing: place === whole ? typed : existing,
      path: paths.join(existing, paths.relative(place, whole)),
      gone: place !== whole
    }
    return target
  }
})

/** A target below the repository's root is what is reviewed of the change. */
export const within = Effect.fnUntraced(function* (change: Change, repository: Repository | null, target: Target) {
  const paths = yield* Path.Path
  if (repository === null || repository.root === null) return change
  const inside = paths.relative(repository.root, target.path)
  if (inside === "" || inside.startsWith("..")) return change
  const lies = (path: string | null) => path === inside || path?.startsWith(`${inside}/`) === true
  const files = change.diff.files.filter(({ path, oldPath }) => lies(path) || (target.gone && lies(oldPath)))
  if (target.gone && files.length === 0) {
    return yield* new UsageWrong({
      reason: `there is nothing at ${target.typed}, neither on disk nor in ${change.description} (a commit is named with --commit, a branch with --branch)`
    })
  }
  const none = files.length === 0 && change.diff.files.length > 0 ? "; it changes nothing there" : ""
  return { ...change, inside, diff: { files }, description: `${change.description}, only ${inside}${none}` }
})
