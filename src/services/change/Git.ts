/**
 * The git calls of a review. They only read, fetch nothing, never prompt, and run nothing that the repository configures
 * (`gitHardening`).
 *
 * Every call has a deadline and a limit on its output, and fails with a typed error. Calls may run concurrently.
 */
import { Context, Effect, Layer } from "effect"
import type { GitWouldWait } from "./GitError.ts"
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
  const reasons: Array<GitWouldWait> = []
  const files = yield* makeGitFiles(calls, yield* makeGitObjects(calls.converse))
  const { untracked, ...diffs } = makeGitDiffs(calls, yield* makeGitWaits, (reason) => void reasons.push(reason))
  return {
    open: yield* makeOpenRepository(calls),
    ...makeGitCommits(calls),
    ...makeGitHooks(calls),
    ...diffs,
    ...files,
    ...(yield* makeGitGrep(calls, files, { untracked })),
    /** Why listings of untracked files can be incomplete. */
    incomplete: Effect.sync((): ReadonlyArray<GitWouldWait> => reasons)
  }
})

export class Git extends Context.Service<Git>()("dd/services/change/Git", { make }) {
  static readonly layer = Layer.effect(Git, make)
}
