/** `dd review`: flags in, a review out. */
import { Effect, Layer, Option, Path, Stdio } from "effect"
import { Command } from "effect/cli"
import { layerWebCrypto as layerSecureRandom, SecureRandom } from "effect/crypto/SecureRandom"
import { version } from "../../../package.json" with { type: "json" }
import type { Change } from "../../domain/change/Change.ts"
import type { Degraded } from "../../domain/change/Degraded.ts"
import type { Feedback } from "../../domain/review/Feedback.ts"
import type { Loop } from "../../domain/review/Loop.ts"
import type { Pass } from "../../domain/review/Pass.ts"
import { answerersOf, everyAnswerer, withoutFixes } from "../../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { SessionId } from "../../domain/run/SessionId.ts"
import { parseAge, parseSize } from "../../domain/system/amounts.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import * as ArchiveConnection from "../../layers/record/archive/connection.ts"
import * as Proc from "../../layers/system/process/Proc.ts"
import { trustIn } from "../../layers/TrustLive.ts"
import type { ReviewRequest } from "../../programs/review.ts"
import { BriefDepth } from "../../services/brief/Briefs.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import { shippedRules } from "../../services/finding/RuleSet.ts"
import { nobody } from "../../services/fix/Choices.ts"
import { FeedbackForge } from "../../services/forge/FeedbackForge.ts"
import type { Forge } from "../../services/forge/Forge.ts"
import { baselineIn } from "../../services/review/baselineFile.ts"
import { archiveDirectory, daydreamHome, pricesFile, Settings } from "../../services/run/Settings.ts"
import { allUserRules } from "../../services/run/userRules.ts"
import { monotonicMillis } from "../../services/system/monotonicMillis.ts"
import { enabledRules, ruleById } from "../finding/enabledRules.ts"
import { ownRulesNote, ruleFileDegradations, unknownRuleNotes } from "../finding/ruleNotes.ts"
import { interruptedFixes } from "../fix/interruptedFixes.ts"
import { terminalChoices } from "../fix/terminalChoices.ts"
import { type Replay, recordedSelection, replayNotes, replayOf } from "../record/replay.ts"
import { checkResumed, leftBy, type Resumable, resumableRun } from "../record/resume.ts"
import { canShowColour, colourAsked } from "../system/colour.ts"
import { FlagGroups, Planned } from "../system/HelpPage.ts"
import { hereIn } from "../system/here.ts"
import { mayWriteAll } from "../system/mayWrite.ts"
import { Settled, settled } from "../system/outcome.ts"
import { canRedraw, lineWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { answeringOf } from "./answeringOf.ts"
import { type ChosenChange, chosenChange, filesOf, withoutIgnored } from "./chosenChange.ts"
import { withInstructions } from "./instructions.ts"
import * as Progress from "./Progress.ts"
import { printedSchema } from "./render/JsonReport.ts"
import {
  checkFlags,
  flowOf,
  outputsOf,
  type ReviewFlags,
  reviewFlags,
  reviewGroups,
  settingFlags,
  UsageWrong,
  withLoop,
  writtenPaths
} from "./reviewFlags.ts"
import {
  costLimitOf,
  disabledRulesNote,
  editedPolicyNotes,
  editedSettingsFiles,
  feedbackNotes,
  notArchivedNote,
  passNotes,
  reviewersNote,
  unusedFlagsNote
} from "./reviewNotes.ts"
import { endStream, type Page, type Reviewed, shownInFiles, showPreview, showReview } from "./reviewOutput.ts"
import { selectionOf } from "./reviewSelection.ts"
import * as StreamedLines from "./StreamedLines.ts"

const handler = (flags: ReviewFlags) =>
  Option.contains(flags.format, "jsonl") ? handle(flags).pipe(Effect.tapError(endStream)) : handle(flags)

const handle = Effect.fnUntraced(function* (given: ReviewFlags) {
  let startedAt = yield* monotonicMillis
  const typed = withLoop(yield* withInstructions(given))
  if (typed.printSchema) return yield* writeOut(printedSchema())
  yield* checkFlags(typed)
  const askedOutputs = yield* outputsOf(typed.output)
  const job = typed.ci || typed.deepen ? yield* (yield* loadCi).ciReview(typed, askedOutputs) : null
  const { flags, outputs } = job ?? { flags: typed, outputs: askedOutputs }
  let loop: Loop | null = flags.preview ? null : beginLoop(flags.loop)
  if (loop !== null && (yield* attendanceOf(flags)) === "unattended") return yield* new UsageWrong({ reason: unasked })
  yield* mayWriteAll(writtenPaths(flags, outputs))
  const place = Option.getOrElse(flags.target, () => ".")
  const flagSelection = job?.selection ?? (yield* selectionOf(flags))
  const replay = yield* replayOf(flags.replay, place, flags.allRepos)
  const resumable = yield* resumableRun(flags.resume, place)
  const earlier = replay ?? resumable
  const recorded =
    earlier === null || flagSelection._tag !== "Default"
      ? null
      : yield* recordedSelection(earlier, place, replay === null ? "--resume" : "--replay")
  const selection = recorded?.selection ?? flagSelection
  yield* TreeSitter.begin
  if (!flags.noArchive && !flags.preview && replay === null) yield* ArchiveConnection.begin
  const interrupted = yield* Effect.provide(interruptedFixes(flags.target, flags.fix && !flags.preview), Proc.layer)
  const home = flags.preview ? null : yield* daydreamHome
  const choosing = chosenChange(
    flags.target,
    selection,
    recorded?.description == null ? {} : { description: recorded.description }
  )
  const first = yield* flags.quiet ? choosing : Progress.during("change", { startedAt })(choosing)
  if (Option.isSome(flags.skill)) {
    const { checkSkill } = yield* Effect.promise(() => import("./skills.ts"))
    yield* checkSkill(flags.skill.value, first.repository?.root ?? null)
  }
  for (let chosen = first; ; chosen = yield* chosenAgain(flags.target, first)) {
    const { repository, resolved, whole } = chosen
    const sources = ReviewLive.sources(repository, resolved, ReviewLive.blobFacts(repository, home))
    const resolution = {
      ...{ flags, outputs, repository, whole, replay, resumable, interrupted, loop, feedback: null, startedAt },
      missing: job?.missing ?? []
    }
    const passes: ReadonlyArray<Pass> | null = yield* run(resolution).pipe(
      Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(sources)))
    )
    if (loop === null || passes === null) return
    loop = { ...loop, pass: loop.pass + 1, before: passes }
    startedAt = yield* monotonicMillis
  }
})

const loadCi = Effect.promise(() => import("../ci/ciReview.ts"))

const beginLoop = Option.match({
  onNone: () => null,
  onSome: (atMost: number): Loop => ({ pass: 1, atMost, before: [] })
})

const unasked = "--loop commits, and cannot ask first without a terminal; add --yes"

/** The change with the commits since: from the same commit, although `--base HEAD~1` now names another one. */
const chosenAgain = (target: ReviewFlags["target"], { resolved }: ChosenChange) =>
  chosenChange(
    target,
    resolved.base._tag === "Commit" ? { _tag: "Base", base: resolved.base.sha } : { _tag: "Default" },
    {
      description: resolved.description,
      ...(resolved.baseBranch === undefined ? {} : { baseBranch: resolved.baseBranch })
    }
  )

interface Resolved extends Reviewed {
  /** Of the command, or of this pass of a loop, in monotonic milliseconds; absent: with the run. */
  readonly startedAt?: number
  /** The change before ignored paths are left out. */
  readonly whole: Change
  /** The recorded run to replay; null: a new run. */
  readonly replay: Replay | null
  /** The interrupted run to resume; null: none. */
  readonly resumable: Resumable | null
  /** Notes on fixes that a killed run left half applied. */
  readonly interrupted: ReadonlyArray<string>
  /** What the clone of a job lacks. */
  readonly missing?: ReadonlyArray<Degraded>
  /** The pass of `--loop`; null: a single review. */
  readonly loop: Loop | null
  /** The comments to work on, and their forge; null: a review. */
  readonly feedback: { readonly wish: Feedback; readonly forge: Forge["Service"] } | null
}

/** Needs the text of both sides, because settings of the repository are read from the base. */
export const run = Effect.fnUntraced(function* (resolved: Resolved) {
  const { feedback, flags, loop, replay, repository, resumable } = resolved
  const stdio = yield* Stdio.Stdio
  const paths = yield* Path.Path
  const isTerminal = yield* stdio.stdoutIsTerminal
  const {
    settings: given,
    notes,
    warnings
  } = yield* Settings.pipe(
    Effect.provide(
      Settings.layer(
        { ...settingFlags(flags), color: yield* colourAsked },
        isTerminal,
        editedSettingsFiles(resolved.whole)
      ).pipe(Layer.provide(trustIn(repository?.root ?? null)))
    )
  )
  for (const warning of warnings) yield* Effect.logWarning(warning)
  const settings = flags.fix ? given : { ...given, backendChoice: withoutFixes(given.backendChoice) }

  const own = yield* allUserRules
  const allRules = [...shippedRules, ...own.loaded.map(({ rule }) => rule)]
  const rules = enabledRules(settings, allRules)
  const unknownRules = unknownRuleNotes(settings, allRules, own.problems.length > 0)
  for (const note of unknownRules) yield* Effect.logWarning(note)
  // A replayed run was archived, or kept out of the archive, when it was recorded.
  const archive = settings.archive.value === "on" && replay === null ? yield* archiveDirectory : null
  const asksModel = replay === null && everyAnswerer(settings.backendChoice).some(({ backend }) => backend !== "static")
  const skill = asksModel ? Option.getOrNull(flags.skill) : null
  const sessionId = SessionId.make(yield* SecureRandom.use((random) => random.uuidV4()))
  const { change, ignored } =
    feedback === null ? withoutIgnored(resolved.whole, settings) : { change: resolved.whole, ignored: [] }
  if (resumable !== null) yield* checkResumed(resumable, change)
  const attendance = yield* attendanceOf(flags)
  const request = yield* requestOf(flags, settings, {
    fixing: flags.fix
      ? {
          attendance,
          commits: flags.commitFixes,
          testCommand: settings.testCommand
        }
      : null,
    proving: flags.run
      ? { budget: Option.getOrElse(flags.runBudget, () => (isTerminal ? terminalBudget : pipeBudget)) }
      : null,
    loop,
    feedback: feedback?.wish ?? null,
    sessionId,
    change,
    ignored,
    missing: [...(resolved.missing ?? []), ...ruleFileDegradations(own.problems)],
    reviewedBy: (reviewers, hasAnswered) =>
      feedback !== null
        ? feedbackNotes(asksModel)
        : replay === null
          ? flowOf(flags) === "prove"
            ? []
            : [reviewersNote(settings.backendChoice, rules.length, reviewers, hasAnswered)]
          : replayNotes(replay, change),
    notes: [
      ...resolved.interrupted,
      ...passNotes(loop, loop?.before ?? []),
      ...(replay === null && !asksModel ? unusedFlagsNote(flags) : []),
      ...(skill === null ? [] : [`Every stack is reviewed with the skill ${skill}.`]),
      ...ownRulesNote(rules, "base"),
      ...disabledRulesNote(settings),
      ...unknownRules,
      ...editedPolicyNotes(resolved.whole),
      ...(settings.archive.value === "on" && replay === null && archive === null ? [notArchivedNote] : []),
      // Notes on backends and keys do not apply to a replay.
      ...(replay === null ? notes : [])
    ]
  })
  const format = settings.format.value
  const colour = yield* canShowColour(1, settings.color.value)
  const live = ReviewLive.layer({
    sessionId,
    flow: request.flow,
    loop,
    skill,
    replay: replay?.recording ?? null,
    resumed: resumable?.run ?? null,
    backend: answerersOf(settings.backendChoice, "per-stack-reviews")[0].backend,
    answering: asksModel ? yield* answeringOf(settings, skill) : null,
    maxCost: asksModel ? costLimitOf(settings) : null,
    timeout: settings.timeout.value,
    archive:
      archive === null
        ? null
        : {
            directory: archive,
            evaluates: settings.evaluate.value === "on",
            retention: { age: parseAge(settings.pruneAfter.value), bytes: parseSize(settings.pruneAbove.value) }
          },
    repository,
    change,
    rules,
    fanout: settings.fanout.value,
    home: yield* daydreamHome,
    usesLearned: settings.learned.value === "on" && replay === null,
    pricesFile: yield* pricesFile,
    pullRequest:
      feedback === null
        ? yield* pullRequestOf(flags.prNumber)
        : { number: feedback.wish.pullRequest, repo: feedback.wish.repo },
    writes: !flags.preview,
    version,
    trajectory: Option.match(flags.trajectory, { onNone: () => null, onSome: (path) => paths.resolve(path) }),
    tests: { timeout: settings.testTimeout.value, sandbox: settings.testSandbox.value },
    fixing: flags.fix
      ? {
          choices:
            attendance === "interactive"
              ? yield* terminalChoices(yield* canShowColour(2, settings.color.value))
              : nobody
        }
      : null,
    watchers: [
      format === "jsonl" && !flags.preview
        ? StreamedLines.make({ version })
        : yield* progressOf(resolved, yield* canShowColour(2, settings.color.value))
    ]
  })
  const page: Page = {
    version,
    rule: ruleById(rules),
    width: yield* lineWidth(isTerminal),
    colour,
    isTerminal,
    here: isTerminal ? yield* hereIn(repository, resolved.whole.inside) : null,
    all: flags.all,
    files: filesOf(repository, resolved.whole),
    brief: settings.brief.value === "none" ? null : settings.brief.value === "short" ? "short" : "full",
    shown: isTerminal ? settings.maxFindings.value || Number.POSITIVE_INFINITY : shownInFiles(settings)
  }
  if (flags.preview) {
    yield* showPreview(request, format, page).pipe(Effect.provide(live))
    return null
  }
  return yield* settled((restore) =>
    Effect.flatMap(restore(Layer.build(live)), (built) =>
      showReview(resolved, request, settings, page, restore).pipe(
        Effect.provideService(BriefDepth, flags.depth),
        Effect.provideService(FeedbackForge, feedback?.forge ?? null),
        Effect.provide(built)
      )
    )
  ).pipe(
    // For a format from a setting; the handler does this for the flag.
    Effect.tapError((error) => (format === "jsonl" && Option.isNone(flags.format) ? endStream(error) : Effect.void)),
    // The record is written by now.
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        const canResume = asksModel && loop === null && feedback === null
        const root = repository?.root ?? null
        const end = yield* Settled
        end.left = root === null ? "" : yield* leftBy(root, sessionId, canResume)
      })
    )
  )
})

/** Seconds for running tests: where somebody waits, and in a pipe or a CI job. */
const terminalBudget = 60
const pipeBudget = 600

const requestOf = Effect.fnUntraced(function* (
  flags: ReviewFlags,
  settings: ReviewSettings,
  rest: Pick<
    ReviewRequest,
    "sessionId" | "change" | "ignored" | "missing" | "notes" | "reviewedBy" | "fixing" | "proving" | "loop" | "feedback"
  >
) {
  const request: ReviewRequest = {
    flow: flowOf(flags),
    startAt: Option.getOrElse(flags.startAt, () => "review" as const),
    findingsOut: Option.getOrNull(flags.findingsOut),
    known: Option.isSome(flags.baseline) && !flags.writeBaseline ? yield* baselineIn(flags.baseline.value) : new Set(),
    tinyThreshold: settings.shallowFanoutThreshold.value,
    // Models are told the facts of the brief.
    wantsBrief:
      settings.brief.value !== "none" ||
      everyAnswerer(settings.backendChoice).some(({ backend }) => backend !== "static"),
    ...rest
  }
  return request
})

/** Questions need a terminal on both sides. */
const attendanceOf = Effect.fnUntraced(function* (flags: ReviewFlags) {
  if (flags.yes) return "yes" as const
  const stdio = yield* Stdio.Stdio
  const isAttended = !flags.nonInteractive && (yield* stdio.stdinIsTerminal) && (yield* stdio.stderrIsTerminal)
  return isAttended ? ("interactive" as const) : ("unattended" as const)
})

const pullRequestOf = Effect.fnUntraced(function* (number: Option.Option<number>) {
  if (Option.isNone(number)) return null
  const { repositoryName } = yield* Effect.promise(() => import("../forge/forgeTarget.ts"))
  return { number: number.value, repo: yield* repositoryName }
})

const progressOf = Effect.fnUntraced(function* (
  { flags, startedAt }: Pick<Resolved, "flags" | "startedAt">,
  colour: boolean
) {
  return Progress.make({
    terminal: yield* canRedraw,
    colour,
    verbose: flags.verbose,
    quiet: flags.quiet,
    columns: Progress.terminalColumns,
    startedAt
  })
})

/** What a command needs to call `run`. */
export const reviewServices = Layer.mergeAll(
  Changes.layer.pipe(Layer.provideMerge(Git.layer)),
  layerTimeout,
  layerSecureRandom
)

export const reviewCommand = Command.make("review", reviewFlags).pipe(
  Command.withShortDescription("Review a change"),
  Command.withDescription(`Review a change.

  By default, reviews the branch against its base, with uncommitted edits; on the base branch
  with a clean working tree, the last commit. The report begins with what was reviewed.

  Without --fix, does not edit the working tree and does not run code of the repository.
  Keeps its files in .daydream/, which git ignores.

  Exit codes: 0 pass, 1 findings at or above --fail-on, 2 usage or configuration, 3 could not
  run, 4 inconclusive (see --on-inconclusive), 130 interrupted, 143 terminated.`),
  Command.withExamples([
    { command: "dd review", description: "Review the branch and uncommitted edits" },
    { command: "dd review --commit HEAD~3", description: "Review one commit" },
    { command: "git diff | dd review --diff-file -", description: "Review a patch" },
    { command: "dd review --ci --fail-on high", description: "Review what a CI job is for, and fail it" }
  ]),
  Command.annotate(FlagGroups, reviewGroups),
  Command.annotate(Planned, { "--worktree": "Review in a working tree of its own" }),
  Command.withHandler(handler),
  Command.provide(reviewServices)
)
