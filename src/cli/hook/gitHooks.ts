/** `dd hook pre-push` and `dd hook pre-commit`: what git calls. */
import { Config, Effect, Layer, Option, Path, Stdio } from "effect"
import { Argument, Command } from "effect/cli"
import { branchOf, isTag, type Push, parsePush, pushOfAll } from "../../domain/hook/pushedRefs.ts"
import { plural } from "../../domain/text/plural.ts"
import { GitIndex } from "../../services/change/gitCall.ts"
import { type PushedRange, pushedRange } from "../../services/hook/pushedRange.ts"
import { onCi } from "../../services/run/onCi.ts"
import { bytesAtMost } from "../../services/system/bytesAtMost.ts"
import { reviewServices } from "../review/review.ts"
import { UsageWrong } from "../review/reviewFlags.ts"
import { budgetOf, checkModel, hookFlags } from "./hookFlags.ts"
import { hookRepository, hookReviews, inTime, say } from "./hookReview.ts"

const variable = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (value) => Option.getOrElse(value, () => ""))

const isSkipped = Effect.map(variable("DD_SKIP"), (value) => !["", "0", "false"].includes(value.toLowerCase()))

/** In a job, dd review has the flags and formats of one. */
const isLeftToCi = (inCi: boolean, what: string) =>
  Effect.gen(function* () {
    if (inCi || !(yield* onCi)) return false
    yield* say(`CI is set: the ${what} is not reviewed by this hook; use dd review in the job, or --in-ci`)
    return true
  })

/** In bytes; ten thousand refs. */
const mostInput = 4_000_000

/** Lines on standard input, or the variables with which pre-commit calls its hooks. */
const pushOf = Effect.gen(function* () {
  const local = (yield* variable("PRE_COMMIT_LOCAL_BRANCH")) || "HEAD"
  const remote = yield* variable("PRE_COMMIT_REMOTE_BRANCH")
  const to = yield* variable("PRE_COMMIT_TO_REF")
  if (to !== "") {
    const from = (yield* variable("PRE_COMMIT_FROM_REF")) || "0".repeat(to.length)
    return parsePush(`${local} ${to} ${remote || local} ${from}\n`)
  }
  // It names no commits if the first commit of the repository is pushed.
  if (remote !== "") return pushOfAll(local, remote)
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) {
    return yield* new UsageWrong({ reason: "git calls this, with refs on standard input", command: "hook pre-push" })
  }
  return parsePush(new TextDecoder().decode(yield* bytesAtMost(stdio.stdin, mostInput)))
})

/** A line about the push as a whole: what could not be read, or how many refs there are. */
const leftOut = ({ refs, same, unread }: Push): string | null =>
  unread > 0
    ? `NOT REVIEWED: ${plural(unread, "line")} on standard input ${unread === 1 ? "is" : "are"} not of the form "REF SHA REF SHA"`
    : refs.length + same > 1
      ? `${refs.length + same} refs are pushed${same === 0 ? "" : `, ${same} of them with the commits of another one`}`
      : null

export const prePush = Command.make("pre-push", {
  remote: Argument.String("remote").pipe(Argument.withDescription("Name of the remote"), Argument.optional),
  url: Argument.String("url").pipe(Argument.withDescription("Its address"), Argument.optional),
  ...hookFlags
}).pipe(
  Command.withShortDescription("Review what a push sends; git calls this"),
  Command.withDescription(`Review what a push sends; git calls this with refs on standard input.

  Reviews the commits that the remote does not have: since its commit of the branch, or since a new
  branch left the default branch, else the nearest branch of a remote that this clone knows.
  Findings that the default branch has itself do not count. A tag is reviewed if neither a branch
  of a remote nor one that is pushed with it has its commit; deletions are skipped. Fetches nothing.

  Findings at or above --fail-on stop the push. A failure of dd, or a review that takes longer
  than --budget, does not: a line says that the push was not reviewed. If CI=true, nothing is
  reviewed without --in-ci. DD_SKIP=1 lets one push go, and is recorded in the archive.

  Exit codes: 0 the push goes on, 1 findings, 2 usage, 130 interrupted, 143 terminated.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ remote, url: _, ...flags }) {
      if (yield* isLeftToCi(flags.inCi, "push")) return
      const push = yield* pushOf
      const note = leftOut(push)
      if (note !== null) yield* say(note)
      if (push.refs.length === 0) return
      const skipped = yield* isSkipped
      const name = Option.getOrElse(remote, () => "") || (yield* variable("PRE_COMMIT_REMOTE_NAME")) || "origin"
      yield* checkModel(flags, "hook pre-push")
      yield* inTime({ budget: budgetOf(flags), what: "push", way: "git push --no-verify" }, (progress) =>
        Effect.gen(function* () {
          const repository = yield* hookRepository(yield* variable("GIT_DIR"))
          const ranges: Array<PushedRange> = []
          const unchanged: Array<PushedRange> = []
          const sent: Array<string> = []
          for (const ref of [...push.refs.filter((each) => !isTag(each)), ...push.refs.filter(isTag)]) {
            const range = yield* pushedRange(repository, name, ref, sent).pipe(
              Effect.catchTag(["HistoryTooShallow", "RevisionUnknown"], ({ message }) =>
                Effect.as(say(`NOT REVIEWED: ${branchOf(ref.remoteRef)}: ${message}`), null)
              )
            )
            if (range !== null) sent.push(range.head)
            if (range !== null) (range.base === range.head ? unchanged : ranges).push(range)
          }
          const [first] = unchanged
          if (first !== undefined)
            yield* say(
              `nothing new in ${unchanged.length === 1 ? first.description : `${unchanged.length} of ${push.refs.length} refs`}`
            )
          const asked = { repository, flags, what: "push", isSkipped: skipped, shown: new Set<string>() } as const
          yield* hookReviews(asked, ranges, progress)
        })
      )
    })
  ),
  Command.provide(reviewServices)
)

/** Git calls the hook of `git commit FILE` and `git commit --all` with an index of its own. */
const indexOfHook = Layer.effect(
  GitIndex,
  Effect.gen(function* () {
    const given = yield* variable("GIT_INDEX_FILE")
    return given === "" ? null : (yield* Path.Path).resolve(given)
  })
)

export const preCommit = Command.make("pre-commit", hookFlags).pipe(
  Command.withShortDescription("Review staged changes; git calls this"),
  Command.withDescription(`Review staged changes; git calls this before a commit.

  Findings at or above --fail-on stop the commit; everything else is as for dd hook pre-push.

  Exit codes: 0 the commit goes on, 1 findings, 2 usage, 130 interrupted, 143 terminated.`),
  Command.withHandler(
    Effect.fnUntraced(function* (flags) {
      if (yield* isLeftToCi(flags.inCi, "commit")) return
      const skipped = yield* isSkipped
      yield* checkModel(flags, "hook pre-commit")
      yield* inTime({ budget: budgetOf(flags), what: "commit", way: "git commit --no-verify" }, (progress) =>
        Effect.gen(function* () {
          const repository = yield* hookRepository(yield* variable("GIT_DIR"))
          const asked = { repository, flags, what: "commit", isSkipped: skipped, shown: new Set<string>() } as const
          yield* hookReviews(asked, [{ _tag: "Staged" }], progress)
        })
      )
    })
  ),
  Command.provide(reviewServices.pipe(Layer.provide(indexOfHook)))
)
