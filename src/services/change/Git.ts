/**
 * The git calls of a review. They only read, fetch nothing, never prompt, and run nothing that the repository configures
 * (`gitHardening`).
 *
 * Every call has a deadline and a limit on its output, and fails with a typed error. Calls may run concurrently.
 */
import { Context, Effect, Layer } from "effect"
import type { GitWouldWait, ObjectMissing } from "./GitError.ts"
import { makeGitCall } from "./gitCall.ts"
import { makeGitCommits } from "./gitCommits.ts"
import { makeGitDiffs } from "./gitDiffs.ts"
import { makeGitFiles } from "./gitFiles.ts"
import { makeGitGrep } from "./gitGrep.ts"
import { makeGitHooks } from "./gitHooks.ts"
import { makeGitObjects } from "./gitObjects.ts"
import { makeGitWaits } from "./gitWaits.ts"
import { makeOpenRepository } from "./openRepository.ts"

const make = Effect.gen(function* () {
  const calls = yield* makeGitCall
  const reasons: Array<ObjectMissing | GitWouldWait> = []
  const incomplete = (reason: ObjectMissing | GitWouldWait) => void reasons.push(reason)
  const files = yield* makeGitFiles(calls, yield* makeGitObjects(calls.converse))
  const { untracked, ...diffs } = makeGitDiffs(calls, yield* makeGitWaits, incomplete)
  return {
    open: yield* makeOpenRepository(calls),
    ...makeGitCommits(calls),
    ...makeGitHooks(calls),
    ...diffs,
    ...files,
    ...(yield* makeGitGrep(calls, files, { untracked }, incomplete)),
    /** Why successful searches and listings can be incomplete. */
    incomplete: Effect.sync((): ReadonlyArray<ObjectMissing | GitWouldWait> => reasons)
  }
})

export class Git extends Context.Service<Git>()("dd/services/change/Git", { make }) {
  static readonly layer = Layer.effect(Git, make)
}
