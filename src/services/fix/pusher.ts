/**
 * Pushes one commit of the current branch to its upstream, as `git push` of the user would: with the user's own settings and
 * credentials, and never forced. Hooks of the repository do not run (`gitRemote`).
 */
import { Effect, Runtime, Schema } from "effect"
import { oneLine } from "../../domain/text/Printable.ts"
import { makeGitCall } from "../change/gitCall.ts"
import { makeGitRemote, reasonIn } from "../change/gitRemote.ts"
import type { Repository } from "../change/openRepository.ts"

/** The branch of the remote is as it was, unless the answer of the remote was lost. */
export class NotPushed extends Schema.TaggedError<NotPushed>()("NotPushed", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `nothing was pushed: ${this.reason}`
  }
}

export interface Upstream {
  readonly branch: string
  /** A name, or an address. */
  readonly remote: string
  /** The full name of the branch there. */
  readonly ref: string
}

/**
 * Where the current branch is pushed to; fails before any work is done if it cannot be pushed. `wanted`: the name that
 * the branch must have there; null: any.
 */
export const upstream = Effect.fn("Pusher.upstream")(
  function* (repository: Repository, wanted: string | null) {
    const { programIn, settings } = yield* makeGitRemote
    const { branch } = repository.head
    if (branch === null) {
      return yield* new NotPushed({ reason: "HEAD is detached; check out the branch of the pull request" })
    }
    const program = yield* programIn(repository)
    if (program !== null) {
      const reason = `the configuration of this repository sets ${program}, which names a program or an address; push the commit with git push`
      return yield* new NotPushed({ reason })
    }
    const own = yield* settings(repository, "", "^branch\\.")
    const [remote, ref] = [own.get(`branch.${branch}.remote`), own.get(`branch.${branch}.merge`)]
    if (remote === undefined || ref?.startsWith("refs/heads/") !== true || remote === ".") {
      const reason = `${branch} has no upstream branch; set one with git branch --set-upstream-to`
      return yield* new NotPushed({ reason })
    }
    if (wanted !== null && ref !== `refs/heads/${wanted}`) {
      const reason = `the upstream of ${branch} is ${oneLine(nameOf(ref))}, but the branch of the pull request is ${oneLine(wanted)}; set it with git branch --set-upstream-to`
      return yield* new NotPushed({ reason })
    }
    return { branch, remote, ref }
  },
  (self) =>
    Effect.mapError(self, (error) => (error._tag === "NotPushed" ? error : new NotPushed({ reason: error.message })))
)

/** `onto`: the only parent of the commit, and what the branch of the remote must be at: nothing else is pushed with it. */
export const push = Effect.fn("Pusher.push")(
  function* (
    repository: Repository,
    { ref, remote }: Upstream,
    { onto, sha }: { readonly sha: string; readonly onto: string }
  ) {
    const { ask } = yield* makeGitCall
    const { call } = yield* makeGitRemote
    const { stdout } = yield* ask(repository, ["rev-list", "--parents", "--max-count=1", sha, "--"])
    if (new TextDecoder().decode(stdout).trim() !== `${sha} ${onto}`) {
      return yield* new NotPushed({
        reason: "the branch got other commits in the meantime; push it with git push"
      })
    }
    // Without its commits, the branch there would get those of the pull request as well.
    const lease = `--force-with-lease=${ref}:${onto}`
    const ended = yield* call(repository, pushSettings, [...pushArguments, lease, "--", remote, `${sha}:${ref}`])
    if (ended.exitCode === 0) return
    const reason = reasonIn(ended.lines)
    return yield* new NotPushed({
      reason: reason.includes("stale info")
        ? `${oneLine(nameOf(ref))} is not at ${onto.slice(0, 7)} on the remote; run git fetch, and check the upstream of the branch`
        : `git push failed: ${reason}`
    })
  },
  (self) =>
    self.pipe(
      Effect.timeoutOrElse({
        duration: longestPush,
        orElse: () => Effect.fail(new NotPushed({ reason: `git push did not end within ${longestPush}` }))
      }),
      Effect.mapError((error) => (error._tag === "NotPushed" ? error : new NotPushed({ reason: error.message })))
    )
)

const nameOf = (ref: string): string => ref.replace(/^refs\/heads\//, "")

const longestPush = "5 minutes"
const pushSettings: ReadonlyArray<string> = ["push.followTags=false", "push.gpgSign=false"]

const pushArguments: ReadonlyArray<string> = [
  "push",
  "--porcelain",
  "--no-verify",
  "--no-force",
  "--recurse-submodules=no"
]
