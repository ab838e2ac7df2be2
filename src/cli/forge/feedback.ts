/** `dd feedback`: fixes what a bot said on a pull request, pushes the fixes and answers. */
import { Effect, FileSystem, Layer, Option, Path, Schema, Stdio } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { PullRequest } from "../../domain/forge/PullRequest.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import * as ArchiveConnection from "../../layers/record/archive/connection.ts"
import * as Proc from "../../layers/system/process/Proc.ts"
import { checkFeedback } from "../../programs/feedbackSteps.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { Forge } from "../../services/forge/Forge.ts"
import { daydreamHome } from "../../services/run/Settings.ts"
import { interruptedFixes } from "../fix/interruptedFixes.ts"
import { reviewServices, run } from "../review/review.ts"
import {
  defaultReviewFlags,
  exclusive,
  outputsOf,
  type ReviewFlags,
  reviewFlags,
  reviewGroups,
  UsageWrong,
  writtenPaths
} from "../review/reviewFlags.ts"
import { endStream } from "../review/reviewOutput.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { mayWriteAll } from "../system/mayWrite.ts"
import { switchFlag, textFlag } from "../text/flags.ts"
import { filesForge, gitHubTarget } from "./forgeTarget.ts"

const { all, backend, format, maxCost, model, noArchive, noEval, nonInteractive, onInconclusive } = reviewFlags
const { output, quiet, trajectory, verbose } = reviewFlags

const flags = {
  pr: Argument.Int("pr").pipe(Argument.withDescription("Number of the pull request")),
  target: Argument.String("target").pipe(
    Argument.withDescription("Repository, with the head of the pull request checked out; default: the current one"),
    Argument.optional
  ),
  bot: Flag.String("bot").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Login of the bot whose comments are fixed, with or without [bot]")
  ),
  repo: textFlag("repo", "OWNER/NAME", "Repository; default: GITHUB_REPOSITORY, or the remote origin of this clone"),
  yes: switchFlag("yes", "Ask nothing, and commit the fixes if the tests are not worse").pipe(Flag.withAlias("y")),
  push: switchFlag("push", "Push the commit to the upstream of the branch, and answer the comments"),
  dryRun: switchFlag("dry-run", "Show the comments as findings, and fix nothing"),
  testCommand: textFlag("test-command", "COMMAND", "Run the tests with this command"),
  files: textFlag("files", "DIR", "Read the comments from files in this directory, and answer there"),
  ...{ all, backend, format, maxCost, model, noArchive, noEval, nonInteractive, onInconclusive },
  ...{ output, quiet, trajectory, verbose }
}

type Flags = Command.Command.Config.Infer<typeof flags>

const wrong = (reason: string) => new UsageWrong({ reason, command: "feedback" })

const handler = (given: Flags) =>
  Option.contains(given.format, "jsonl") ? handle(given).pipe(Effect.tapError(endStream)) : handle(given)

const handle = Effect.fnUntraced(function* (given: Flags) {
  yield* check(given)
  const flags = yield* reviewFlagsOf(given)
  const outputs = yield* outputsOf(flags.output)
  yield* mayWriteAll(writtenPaths(flags, outputs))
  const place = Option.getOrElse(given.target, () => ".")
  yield* TreeSitter.begin
  if (!flags.noArchive) yield* ArchiveConnection.begin
  const interrupted = yield* Effect.provide(interruptedFixes(given.target, !given.dryRun), Proc.layer)
  const repository = yield* Git.use((git) => git.open(place))
  const { forge: layer, name } = yield* targetOf(given, place)
  yield* Effect.gen(function* () {
    const forge = yield* Forge
    const pullRequest = yield* forge.pullRequest
    yield* checkFeedback(pullRequest, repository.head.sha)
    const { baseSha, headBranch = null, headSha, number } = pullRequest
    const resolved = yield* Changes.use((changes) =>
      changes.resolve(repository, { _tag: "Branch", branch: headSha, base: baseSha })
    ).pipe(
      Effect.catchTag("RevisionUnknown", () =>
        Effect.fail(
          wrong(`the base of the pull request, ${baseSha.slice(0, 7)}, is not in this clone; run git fetch first`)
        )
      )
    )
    const description = `the comments of ${given.bot} on pull request #${number}${name === null ? "" : ` of ${name}`}`
    const whole = {
      ...resolved,
      description: `${description} at ${headSha.slice(0, 7)}`,
      branch: repository.head.branch
    }
    const wish = {
      ...{ pullRequest: number, repo: name, bot: given.bot, headBranch, headSha, pushes: given.push },
      ...{ comments: [], unread: [], pushed: null, answers: {}, code: 0 }
    }
    const sources = ReviewLive.sources(repository, whole, ReviewLive.blobFacts(repository, yield* daydreamHome))
    yield* run({
      flags,
      outputs,
      repository,
      whole,
      replay: null,
      resumable: null,
      interrupted,
      loop: null,
      feedback: { wish, forge }
    }).pipe(Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(sources))))
  }).pipe(Effect.provide(layer))
})

const check = Effect.fnUntraced(function* (given: Flags) {
  if (given.pr < 1) return yield* wrong(`the number of a pull request is positive, not ${given.pr}`)
  if (given.bot.trim() === "") return yield* wrong("--bot is empty; name the login of the bot")
  for (const [name, isGiven] of [
    ["--push", given.push],
    ["--yes", given.yes]
  ] as const) {
    yield* exclusive({ "--dry-run": given.dryRun, [name]: isGiven }, "feedback")
  }
  yield* exclusive({ "--yes": given.yes, "--non-interactive": given.nonInteractive }, "feedback")
  yield* exclusive({ "--files": Option.isSome(given.files), "--repo": Option.isSome(given.repo) }, "feedback")
  const stdio = yield* Stdio.Stdio
  const asks = !given.nonInteractive && (yield* stdio.stdinIsTerminal) && (yield* stdio.stderrIsTerminal)
  if (given.push && !given.yes && !asks) {
    return yield* wrong("--push asks before it applies the fixes; without a terminal, add --yes")
  }
})

const targetOf = Effect.fnUntraced(function* (given: Flags, place: string) {
  const by = { place, command: "feedback" } as const
  if (Option.isNone(given.files)) return yield* gitHubTarget(given.repo, given.pr, by)
  const directory = given.files.value
  const fs = yield* FileSystem.FileSystem
  const known = (yield* Path.Path).join(directory, "pull-request.json")
  // Of an earlier run, or written by hand.
  const text = yield* Effect.option(fs.readFileString(known))
  const earlier = Option.isNone(text)
    ? null
    : yield* Effect.option(decode(text.value)).pipe(Effect.map(Option.getOrNull))
  return yield* filesForge(directory, { number: given.pr, base: earlier?.baseSha }, by)
})

const decode = Schema.decodeEffect(Schema.fromJsonString(PullRequest))

/** The flags of a review that works on comments. */
const reviewFlagsOf = ({ dryRun, ...given }: Flags) =>
  Effect.map(
    defaultReviewFlags,
    (defaults): ReviewFlags => ({
      ...defaults,
      ...given,
      target: Option.none(),
      flow: Option.some("pr-feedback"),
      fix: !dryRun,
      commitFixes: !dryRun,
      failOn: Option.some("none" as const),
      brief: Option.some("none" as const)
    })
  )

export const feedbackCommand = Command.make("feedback", flags).pipe(
  Command.withShortDescription("Fix what a bot said on a pull request"),
  Command.withDescription(`Fix what a bot said on a pull request, push, and answer.

  Reads the open threads of the bot, fixes them in a copy of the repository, runs the project's
  tests there and, after a question or with --yes, commits the fixes. With --push also pushes
  the commit to the upstream of the branch, which must be the branch of the pull request, and
  answers each thread: with the commit that fixes it, or why it is not fixed. Fixed threads are
  resolved. Never pushes with force.

  Without a model, applies suggestions that replace the lines of their comment. Reviews of the
  bot and its comments without lines need a model (--backend).

  The head of the pull request must be checked out. The token is that of dd post; with --push
  it needs the permission pull-requests: write.

  Exit codes: 0 done, or nothing to do; 1 a fix failed, the tests are not green, comments could
  not be read, or the commit was not pushed; 2 usage, or no credentials; 3 could not run;
  4 inconclusive (see --on-inconclusive).`),
  Command.withExamples([
    { command: "dd feedback 7 --bot coderabbitai --dry-run", description: "Show the open comments as findings" },
    { command: "dd feedback 7 --bot coderabbitai", description: "Fix them, and ask before anything is committed" },
    { command: "dd feedback 7 --bot copilot --yes --push", description: "Fix, commit, push and answer" }
  ]),
  Command.annotate(FlagGroups, reviewGroups),
  Command.withHandler(handler),
  Command.provide(reviewServices)
)
