/**
 * Pushes one commit of the current branch to its upstream, as `git push` of the user would: with the user's own settings and
 * credentials, and never forced. Hooks of the repository do not run.
 *
 * Settings in the repository itself that name a program are refused, because they come with the repository.
 */
import { Config, Context, Effect, Layer, Runtime, Schema } from "effect"
import { oneLine } from "../../domain/text/Printable.ts"
import { makeGitCall } from "../change/gitCall.ts"
import { childEnvironment } from "../change/gitHardening.ts"
import { nulTexts } from "../change/gitOutput.ts"
import type { Repository } from "../change/openRepository.ts"
import { Subprocess } from "../system/Subprocess.ts"

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

export class Pusher extends Context.Service<
  Pusher,
  {
    /**
     * Where the current branch is pushed to; fails before any work is done if it cannot be pushed. `wanted`: the name that
     * the branch must have there; null: any.
     */
    readonly upstream: (repository: Repository, wanted: string | null) => Effect.Effect<Upstream, NotPushed>
    /** `onto`: the only parent of the commit, and what the branch of the remote must be at: nothing else is pushed with it. */
    readonly push: (
      repository: Repository,
      upstream: Upstream,
      commit: { readonly sha: string; readonly onto: string }
    ) => Effect.Effect<void, NotPushed>
  }
>()("dd/services/fix/Pusher") {
  static readonly layer = Layer.effect(
    Pusher,
    Effect.gen(function* () {
      const { ask } = yield* makeGitCall
      const subprocess = yield* Subprocess
      const variable = (name: string) => Effect.orDie(Config.String(name).pipe(Config.withDefault("")))
      const inherited: Record<string, string> = {}
      for (const name of inheritedNames) {
        const value = yield* variable(name)
        if (value !== "") inherited[name] = value
      }
      const home = yield* variable("HOME")
      const { GIT_ALLOW_PROTOCOL: _, ...environment } = childEnvironment(yield* variable("PATH"), home || null)

      /** Values by key; of a key with several, the last. */
      const settings = Effect.fnUntraced(function* (repository: Repository, scope: string, pattern: string) {
        const args = ["config", ...(scope === "" ? [] : [scope]), "--includes", "-z", "--get-regexp", pattern]
        const { stdout } = yield* ask(repository, args, { accept: [1, 128] })
        return new Map(
          nulTexts(stdout).map((entry) => {
            const end = entry.indexOf("\n")
            return end < 0 ? ([entry, ""] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const)
          })
        )
      })

      const upstream = Effect.fn("Pusher.upstream")(
        function* (repository: Repository, wanted: string | null) {
          const { branch } = repository.head
          if (branch === null) {
            return yield* new NotPushed({ reason: "HEAD is detached; check out the branch of the pull request" })
          }
          for (const scope of ["--local", "--worktree"]) {
            const [program] = (yield* settings(repository, scope, programs)).keys()
            if (program !== undefined) {
              const reason = `the configuration of this repository sets ${oneLine(program)}, which names a program or an address; push the commit with git push`
              return yield* new NotPushed({ reason })
            }
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
          Effect.mapError(self, (error) =>
            error._tag === "NotPushed" ? error : new NotPushed({ reason: error.message })
          )
      )

      const push = Effect.fn("Pusher.push")(
        function* (
          repository: Repository,
          { ref, remote }: Upstream,
          { onto, sha }: Parameters<Pusher["Service"]["push"]>[2]
        ) {
          const { stdout } = yield* ask(repository, ["rev-list", "--parents", "--max-count=1", sha, "--"])
          if (new TextDecoder().decode(stdout).trim() !== `${sha} ${onto}`) {
            return yield* new NotPushed({
              reason: "the branch got other commits in the meantime; push it with git push"
            })
          }
          const ended = yield* subprocess.collect({
            program: "git",
            // Without its commits, the branch there would get those of the pull request as well.
            arguments: [
              ...pushArguments(repository),
              `--force-with-lease=${ref}:${onto}`,
              "--",
              remote,
              `${sha}:${ref}`
            ],
            directory: repository.root ?? repository.gitDir,
            environment: { ...environment, ...inherited, GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" },
            maxOutput: mostOutput,
            maxStderr: mostOutput
          })
          if (ended.exitCode === 0) return
          const lines = [ended.output, ended.stderr].flatMap((bytes) => new TextDecoder().decode(bytes).split("\n"))
          const reason = reasonIn(lines)
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

      return Pusher.of({ upstream, push })
    })
  )
}

const nameOf = (ref: string): string => ref.replace(/^refs\/heads\//, "")

const longestPush = "5 minutes"
/** In bytes. */
const mostOutput = 20_000

/** By which git and ssh find the user's settings, agent and keyring; none is a secret. */
const inheritedNames = [
  "XDG_CONFIG_HOME",
  "SSH_AUTH_SOCK",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy"
]

/** Settings that name a program, or send the commit elsewhere. */
const programs =
  "^(core\\.(sshcommand|askpass|gitproxy)|credential\\.(.*\\.)?helper|remote\\..*\\.(receivepack|vcs|pushurl)|url\\..*\\.(push)?insteadof|push\\.pushoption)$"

const pushArguments = ({ gitDir, root }: Repository): ReadonlyArray<string> => [
  "--no-pager",
  ...[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "push.followTags=false",
    "push.gpgSign=false",
    `safe.directory=${root ?? gitDir}`
  ].flatMap((setting) => ["-c", setting]),
  "push",
  "--porcelain",
  "--no-verify",
  "--no-force",
  "--recurse-submodules=no"
]

/** What git prints on the refused branch, else its first error. */
const reasonIn = (lines: ReadonlyArray<string>): string => {
  const known = [/^!.*\t(\[.*)$/, /^(?:remote: )?(?:fatal|error): (.*)$/, /^(.*\S.*)$/]
  for (const pattern of known) {
    const found = lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0]
    if (found !== undefined) return oneLine(found).slice(0, 300)
  }
  return "it printed nothing"
}
