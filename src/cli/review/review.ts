/** `dd review`: flags in, a review out. What is decided here is only how the answer is shown and how dd ends. */
import { Config, Effect, Exit, FileSystem, Layer, Option, Path, Result, Scheduler, Stdio, Stream } from "effect"
import { Command, TerminalCapabilities } from "effect/cli"
import { layerWebCrypto as layerSecureRandom, SecureRandom } from "effect/crypto/SecureRandom"
import { version } from "../../../package.json" with { type: "json" }
import { isWithin, patchLimits } from "../../domain/change/boundPatch.ts"
import type { Change, Selection } from "../../domain/change/Change.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import { baselineFileName } from "../../domain/finding/Baseline.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import { namesRule } from "../../domain/finding/RulePattern.ts"
import { repositoryRuleFolder } from "../../domain/finding/UserRule.ts"
import type { ReviewResult, SourceLines } from "../../domain/review/ReviewResult.ts"
import { answerersOf, everyAnswerer, type Wishes } from "../../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { SessionId } from "../../domain/run/SessionId.ts"
import { originText } from "../../domain/run/Setting.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { pathGlob } from "../../domain/text/PathGlob.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import * as ArchiveConnection from "../../layers/record/archive/connection.ts"
import { preview, type ReviewRequest, review } from "../../programs/review.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { Sources } from "../../services/change/Sources.ts"
import { shippedRules } from "../../services/finding/RuleSet.ts"
import { BaselineFile } from "../../services/review/BaselineFile.ts"
import {
  archiveDirectory,
  daydreamHome,
  pricesFile,
  repositoryFileNames,
  Settings
} from "../../services/run/Settings.ts"
import { UserRules } from "../../services/run/UserRules.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { troubleOf } from "../../services/system/trouble.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { ownRulesNote, ruleFileDegradations, unknownRuleNotes } from "../finding/ruleNotes.ts"
import { type Replay, recordedSelection, replayNotes, replayOf } from "../record/replay.ts"
import { exitCodeFor } from "../system/exitCode.ts"
import { failureOf, presentable as presentableText } from "../system/failure.ts"
import { hereIn } from "../system/here.ts"
import { mayWriteAll } from "../system/mayWrite.ts"
import { Outcome, Settled } from "../system/outcome.ts"
import { widthOf } from "../system/terminalWidth.ts"
import { OutputNotWritten, writeOut } from "../system/writeOut.ts"
import { printedSchema } from "../text/Json.ts"
import * as Progress from "./Progress.ts"
import { type Format, render } from "./render/Format.ts"
import { errorLine, resultLines } from "./render/JsonLines.ts"
import { Presentable } from "./render/Presentable.ts"
import { renderPreview } from "./render/Preview.ts"
import type { RenderContext } from "./render/RenderContext.ts"
import { exclusive, type Output, outputsOf, reviewFlags, UsageWrong } from "./reviewFlags.ts"
import { targetOf, within } from "./reviewTarget.ts"
import * as StreamedLines from "./StreamedLines.ts"

type Typed = Command.Command.Config.Infer<typeof reviewFlags>

const handler = (typed: Typed) =>
  Option.contains(typed.format, "jsonl") ? handle(typed).pipe(Effect.tapError(endStream)) : handle(typed)

const handle = Effect.fnUntraced(function* (typed: Typed) {
  if (typed.printSchema) return yield* writeOut(printedSchema())
  yield* exclusive({ "--shallow": typed.shallow, "--review": typed.review, "--flow": Option.isSome(typed.flow) })
  yield* exclusive({ "--preview": typed.preview, "--output": typed.output.length > 0 })
  yield* exclusive({ "--preview": typed.preview, "--write-baseline": typed.writeBaseline })
  yield* exclusive({ "--preview": typed.preview, "--trajectory": Option.isSome(typed.trajectory) })
  yield* exclusive({ "--preview": typed.preview, "--findings-out": Option.isSome(typed.findingsOut) })
  if (Option.isSome(typed.startAt) && ["shallow", "review", "pr-feedback"].includes(flowOf(typed))) {
    return yield* new UsageWrong({ reason: `--start-at belongs to the deep flow, not to ${flowOf(typed)}` })
  }
  yield* exclusive({ "--replay": Option.isSome(typed.replay), "--backend": Option.isSome(typed.backend) })
  yield* exclusive({ "--replay": Option.isSome(typed.replay), "--preview": typed.preview })
  if (typed.allRepos && !Option.contains(typed.replay, "latest")) {
    return yield* new UsageWrong({ reason: "--all-repos belongs to --replay latest" })
  }
  const outputs = yield* outputsOf(typed.output)
  yield* mayWriteAll(writtenTo(typed, outputs))
  const place = Option.getOrElse(typed.target, () => ".")
  const typedSelection = yield* selectionOf(typed)
  const replay = yield* replayOf(typed.replay, place, typed.allRepos)
  const recorded = replay === null || typedSelection._tag !== "Default" ? null : yield* recordedSelection(replay, place)
  const selection = recorded?.selection ?? typedSelection
  yield* TreeSitter.begin
  if (!typed.noArchive && !typed.preview && replay === null) yield* ArchiveConnection.begin
  const git = yield* Git
  const changes = yield* Changes
  const target = yield* targetOf(place)
  const opened = git.open(target.existing)
  const repository = yield* selection._tag === "Patch"
    ? opened.pipe(Effect.catchTag("NotARepository", () => Effect.succeed(null)))
    : opened
  const chosen = yield* changes.resolve(repository, selection)
  const resolved = { ...chosen, description: recorded?.description ?? chosen.description }
  const whole = Option.isNone(typed.target) ? resolved : yield* within(resolved, repository, target)
  // Both sides are read through the whole change, so that the base stays the base outside of the target too.
  const sources = ReviewLive.sources(repository, resolved)
  yield* run({ typed, outputs, repository, whole, replay }).pipe(
    Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(sources)))
  )
})

interface Chosen {
  readonly typed: Typed
  readonly outputs: ReadonlyArray<Output>
  readonly repository: Repository | null
  /** The change before anything is left out. */
  readonly whole: Change
  /** The recorded run that answers; null: this is a new one. */
  readonly replay: Replay | null
}

/** From here on the text of both sides can be read, so the repository's own settings can too. */
const run = Effect.fnUntraced(function* (chosen: Chosen) {
  const { typed, replay, repository } = chosen
  const stdio = yield* Stdio.Stdio
  const paths = yield* Path.Path
  const terminal = yield* stdio.stdoutIsTerminal
  const { settings, notes, warnings } = yield* Settings.pipe(
    Effect.provide(Settings.layer(settingFlags(typed), terminal, editedPolicies(chosen.whole)))
  )
  for (const warning of warnings) yield* Effect.logWarning(warning)

  const { change, ignored } = withoutIgnored(chosen.whole, settings)
  const baselines = yield* BaselineFile
  const own = yield* (yield* UserRules).all
  const every = [...shippedRules, ...own.loaded.map(({ rule }) => rule)]
  const rules = enabledRules(settings, every)
  const unknown = unknownRuleNotes(settings, every, own.problems.length > 0)
  for (const note of unknown) yield* Effect.logWarning(note)
  // What was said before is in the archive already, or was kept out of it.
  const archive = settings.archive.value === "on" && replay === null ? yield* archiveDirectory : null
  const [reviewer] = answerersOf(settings.wishes, "per-stack-reviews")
  const asksModel = replay === null && everyAnswerer(settings.wishes).some(({ backend }) => backend !== "static")
  const sessionId = SessionId.make(yield* SecureRandom.use((random) => random.uuidV4()))
  const request: ReviewRequest = {
    sessionId,
    flow: flowOf(typed),
    change,
    ignored,
    startAt: Option.getOrElse(typed.startAt, () => "review" as const),
    findingsOut: Option.getOrNull(typed.findingsOut),
    known:
      Option.isSome(typed.baseline) && !typed.writeBaseline ? yield* baselines.read(typed.baseline.value) : new Set(),
    tinyThreshold: settings.shallowFanoutThreshold.value,
    reviewedBy: (reviewers) =>
      replay === null ? [whoNote(settings.wishes, rules.length, change, reviewers)] : replayNotes(replay, change),
    notes: [
      ...(replay === null && !asksModel ? unusedNote(typed) : []),
      ...ownRulesNote(rules, "base"),
      ...disabledNote(settings),
      ...unknown,
      ...policyNote(chosen.whole),
      ...(settings.archive.value === "on" && replay === null && archive === null ? [nowhereNote] : []),
      // Whom a setting would ask is not asked for, and a key that is not used needs no word.
      ...(replay === null ? notes : [])
    ],
    missing: ruleFileDegradations(own.problems)
  }
  const format = settings.format.value
  const colour = yield* wantsColour(settings)
  const live = ReviewLive.layer({
    sessionId,
    flow: request.flow,
    replay: replay?.recording ?? null,
    backend: reviewer.backend,
    answering: asksModel ? yield* answeringOf(settings) : null,
    maxCost: settings.maxCost.value,
    timeout: settings.timeout.value,
    archive: archive === null ? null : { directory: archive, evaluates: settings.evaluate.value === "on" },
    repository,
    change,
    rules,
    fanout: settings.fanout.value,
    home: yield* daydreamHome,
    pricesFile: yield* pricesFile,
    writes: !typed.preview,
    version,
    trajectory: Option.match(typed.trajectory, { onNone: () => null, onSome: (path) => paths.resolve(path) }),
    watchers: [
      format === "jsonl" && !typed.preview
        ? StreamedLines.make({ version })
        : Progress.make({
            terminal: (yield* stdio.stderrIsTerminal) && !(yield* isDumb),
            colour: colour && (yield* stdio.stderrIsTerminal),
            verbose: typed.verbose,
            quiet: typed.quiet,
            width: yield* widthOf(yield* stdio.stderrIsTerminal)
          })
    ]
  })
  const page = {
    version,
    rule: wordsOfRules(rules),
    width: yield* widthOf(terminal),
    colour,
    here: terminal ? yield* hereIn(repository, chosen.whole.inside) : null,
    ...shownOf(typed, settings)
  }
  yield* typed.preview
    ? showPreview(request, format, page).pipe(Effect.provide(live))
    : settled((restore) =>
        Effect.flatMap(restore(Layer.build(live)), (built) =>
          Effect.provide(showReview(chosen, request, settings, page, restore), built)
        )
      ).pipe(
        // Where a setting asked for the stream; the flag is answered around the whole command.
        Effect.tapError((error) => (format === "jsonl" && Option.isNone(typed.format) ? endStream(error) : Effect.void))
      )
})

/** A stream that began ends with a word, whatever happened; findings at the threshold are no failure. */
const endStream = (error: { readonly _tag: string; readonly message: string }) =>
  error instanceof Outcome
    ? Effect.void
    : Redactor.use(({ text }) => writeOut(errorLine(error, failureOf(error, text).code, text)))

type Restore = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Runs work that a signal can interrupt only inside `restore`; after that a signal does not change how it ends. */
const settled = <A, E, R>(work: (restore: Restore) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settled, (kept) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.onExit(Effect.scoped(work(restore)), (exit) =>
        Effect.sync(() => {
          if (!Exit.hasInterrupts(exit)) kept.exit = exit
        })
      )
    )
  )

type Page = Omit<RenderContext, "exitCode">

const showReview = Effect.fnUntraced(function* (
  { typed, outputs, repository }: Chosen,
  request: ReviewRequest,
  settings: ReviewSettings,
  page: Page,
  restore: Restore
) {
  const { result, stopCode } = yield* restore(review(request))
  const code = stopCode || exitCodeFor(result, settings.failOn.value, settings.onInconclusive.value)
  const presentable = Presentable.of(result, yield* sourceLines(result), (yield* Redactor).text)
  const context: RenderContext = { ...page, exitCode: code }
  const format = settings.format.value
  // The stream has told its beginning already.
  const report = format === "jsonl" ? resultLines(presentable, context) : render(format, presentable, context)
  const isShown = !(typed.quiet && format === "text" && isQuiet(result))
  const isUsual = settings.maxFindings.origin._tag === "Default"
  const inFiles = { ...context, here: null, ...(isUsual ? { shown: Number.POSITIVE_INFINITY } : {}) }
  const writeFiles = Effect.gen(function* () {
    // Lets a signal that has arrived interrupt here.
    yield* Effect.yieldNow
    // All files are tried before a failure is reported.
    const files = yield* Effect.forEach(outputs, (output) =>
      Effect.result(writeFile(output.path, render(output.format, presentable, inFiles)))
    )
    const baseline = yield* Effect.result(typed.writeBaseline ? writeBaseline(typed, repository, result) : Effect.void)
    return { files, baseline }
  })
  const { baseline, files } = yield* restore(writeFiles)
  // No yield between the last byte of the report and the end of the interruptible part.
  const shown = yield* restore(Effect.result(isShown ? writeOut(report) : Effect.void)).pipe(
    Effect.provideService(Scheduler.PreventSchedulerYield, true)
  )
  for (const each of [...files, shown]) if (Result.isFailure(each)) return yield* each.failure
  if (Result.isFailure(baseline)) return yield* baseline.failure
  if (code !== 0) return yield* new Outcome({ code })
})

/** Nothing found in all of what there was to look at. */
const isQuiet = ({ findings, status, coverage }: ReviewResult): boolean =>
  findings.length === 0 && status === "complete" && (coverage.filesReviewed > 0 || coverage.filesInDiff === 0)

const writeBaseline = Effect.fnUntraced(function* (typed: Typed, repository: Repository | null, result: ReviewResult) {
  const baselines = yield* BaselineFile
  const path = Option.getOrElse(typed.baseline, () => `${repository?.root ?? "."}/${baselineFileName}`)
  yield* baselines.write(path, result.findings)
  const count = result.findings.length
  if (!typed.quiet)
    yield* Progress.writeError(
      `${count} ${count === 1 ? "finding" : "findings"} written to ${presentableText(path, (yield* Redactor).words)}\n`
    )
})

const showPreview = Effect.fnUntraced(function* (request: ReviewRequest, format: Format, page: Page) {
  const plan = yield* preview(request)
  const shown = {
    description: request.change.description,
    backend: plan.backend,
    callsModel: plan.callsModel,
    stacks: plan.stacks,
    skipped: plan.skipped,
    agentsPlanned: plan.agentsPlanned,
    followUpsAtMost: plan.followUpsAtMost,
    costUsd: plan.cost.usd,
    promptTokens: plan.cost.promptTokens,
    notes: [...(plan.callsModel ? [] : request.reviewedBy([])), ...request.notes]
  }
  if (format !== "text" && format !== "json") {
    return yield* new UsageWrong({ reason: `--preview is shown as text or json, not as ${format}` })
  }
  yield* writeOut(renderPreview(shown, format, page, (yield* Redactor).text))
})

/** What was asked to be reviewed. Two answers to that question are a wrong call. */
const selectionOf = Effect.fnUntraced(function* (typed: Typed) {
  yield* exclusive({
    "--base": Option.isSome(typed.base) && Option.isNone(typed.branch),
    "--branch": Option.isSome(typed.branch),
    "--staged": typed.staged,
    "--commit": Option.isSome(typed.commit),
    "--diff-file": Option.isSome(typed.diffFile)
  })
  const selection: Selection = Option.isSome(typed.branch)
    ? { _tag: "Branch", branch: typed.branch.value, base: Option.getOrNull(typed.base) }
    : Option.isSome(typed.base)
      ? { _tag: "Base", base: typed.base.value }
      : typed.staged
        ? { _tag: "Staged" }
        : Option.isSome(typed.commit)
          ? { _tag: "Commit", commit: typed.commit.value }
          : Option.isSome(typed.diffFile)
            ? yield* readPatch(typed.diffFile.value)
            : { _tag: "Default" }
  return selection
})

const readPatch = Effect.fnUntraced(function* (file: string) {
  if (file !== "-") {
    const fs = yield* FileSystem.FileSystem
    const refused = (why: string) => new UsageWrong({ reason: `--diff-file ${file}: ${why}` })
    const info = yield* fs.stat(file).pipe(Effect.mapError((error) => refused(troubleOf(error))))
    if (info.size > maxPatchBytes) return yield* refused(patchTooLarge)
    const text = yield* fs.readFile(file).pipe(Effect.mapError((error) => refused(troubleOf(error))))
    if (!isWithin(text)) return yield* refused(patchTooLarge)
    return { _tag: "Patch", origin: file, text } as const
  }
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) return yield* new UsageWrong({ reason: "--diff-file - reads a patch from a pipe" })
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* stdio.stdin.pipe(
    Stream.takeWhile(() => bytes <= maxPatchBytes),
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        bytes += chunk.length
        chunks.push(chunk)
      })
    )
  )
  const text = concatBytes(chunks)
  if (!isWithin(text)) return yield* new UsageWrong({ reason: `--diff-file -: ${patchTooLarge}` })
  return { _tag: "Patch", origin: "from standard input", text } as const
})

/** Who names a model on the command line expects one. */
const unusedNote = (typed: Typed): ReadonlyArray<string> => {
  const given = [
    ...(Option.isSome(typed.model) ? ["--model"] : []),
    ...(Option.isSome(typed.maxCost) ? ["--max-cost"] : [])
  ]
  if (given.length === 0) return []
  return [`${given.join(" and ")} changed nothing: no model is asked. --backend names who reviews.`]
}

/** A patch is held whole, line by line: past this it would cost gigabytes. */
const maxPatchBytes = patchLimits.bytes
const patchTooLarge = `a patch of more than 40 MB or ${patchLimits.lines} lines is not read; split it, or review the commits themselves`

/** Files that are written besides standard output: the flag and the path. */
const writtenTo = (typed: Typed, outputs: ReadonlyArray<Output>): ReadonlyArray<readonly [string, string]> => [
  ...outputs.map(({ format, path }) => [`--output ${format}=`, path] as const),
  ...Option.toArray(typed.findingsOut).map((path) => ["--findings-out ", path] as const),
  ...Option.toArray(typed.trajectory).map((path) => ["--trajectory ", path] as const),
  ...(typed.writeBaseline ? Option.toArray(typed.baseline) : []).map((path) => ["--baseline ", path] as const)
]

const flowOf = (typed: Typed): string =>
  typed.shallow ? "shallow" : typed.review ? "review" : Option.getOrElse(typed.flow, () => "deep")

const settingFlags = (typed: Typed) => ({
  fail_on: Option.getOrUndefined(typed.failOn),
  on_inconclusive: Option.getOrUndefined(typed.onInconclusive),
  format: Option.getOrUndefined(typed.format),
  ignore_paths: typed.ignorePath.length === 0 ? undefined : typed.ignorePath,
  max_findings: Option.getOrUndefined(typed.maxFindings),
  color: typed.noColor ? "never" : undefined,
  backend: Option.getOrUndefined(typed.backend),
  model: Option.getOrUndefined(typed.model),
  max_cost: Option.getOrUndefined(typed.maxCost),
  archive: typed.noArchive ? "off" : undefined,
  evaluate: typed.noEval ? "off" : undefined
})

/** What a setting leaves out is skipped with its reason, never silently absent. */
const withoutIgnored = (whole: Change, settings: ReviewSettings) => {
  const globs = settings.ignorePaths.map(({ value, origin }) => ({ matches: pathGlob(value), value, origin }))
  const ignored: Array<FileCoverage> = []
  const files = whole.diff.files.filter(({ path }) => {
    const by = globs.find((glob) => glob.matches(path))
    if (by !== undefined)
      ignored.push({ path, status: "skipped", reason: `ignored by ${by.value} (${originText(by.origin)})` })
    return by === undefined
  })
  return { change: ignored.length === 0 ? whole : { ...whole, diff: { files } }, ignored }
}

/** Nobody should take the no-key default for a model's review, or the other way round. `reviewers`: those that reviewed files. */
const whoNote = (wishes: Wishes, rules: number, change: Change, reviewers: ReadonlyArray<string>): string => {
  const files = filesNote(rules, change)
  const models = reviewers.filter((name) => name !== "static")
  if (models.length > 0) return `Reviewed by ${models.join(", ")} and by static checks: ${files}.`
  if (everyAnswerer(wishes).every(({ backend }) => backend === "static")) {
    return `Static checks only: ${files}, no model. A model reviews with --backend; dd doctor says which can.`
  }
  return `Reviewed by static checks alone: ${files}; no model reviewed.`
}

const filesNote = (rules: number, { diff }: Change): string =>
  `${rules} rules in all, ${diff.files.length} ${diff.files.length === 1 ? "file" : "files"}`

/** How those who answer are reached: the user's own settings, and variables that hold keys. */
const answeringOf = Effect.fnUntraced(function* (settings: ReviewSettings) {
  const paths = yield* Path.Path
  const { anthropic, fanout, openai, piProvider, wishes } = settings
  const names = [anthropic.keyEnv.value, openai.keyEnv.value, "CLAUDE_CONFIG_DIR", "HOME"]
  const values = yield* Effect.forEach(names, (name) =>
    Effect.map(Effect.orDie(Config.option(Config.String(name))), (value) => [name, Option.getOrNull(value)] as const)
  )
  // An empty variable is none, and a file's last line end is no part of a key.
  const variables = new Map(values.map(([name, value]) => [name, value?.trim() || null]))
  const claude = variables.get("CLAUDE_CONFIG_DIR") ?? paths.join(variables.get("HOME") ?? ".", ".claude")
  return {
    anthropic,
    openai,
    piProvider,
    wishes,
    fanout: fanout.origin._tag === "Default" ? null : fanout.value,
    claude: paths.isAbsolute(claude) ? claude : null,
    variable: (name: string) => variables.get(name) ?? null
  }
})

const nowhereNote = "This run is not archived: there is no home directory (HOME, DD_HOME or DAYDREAM_ARCHIVE_DIR)."

/** Whoever changes the rules of the review is told that the old ones were applied. */
const policyNote = (change: Change): ReadonlyArray<string> =>
  [
    ...editedPolicies(change).filter((name) => name === ".daydream.toml"),
    ...(change.diff.files.some(({ path, oldPath }) => isRepositoryRule(path) || isRepositoryRule(oldPath ?? ""))
      ? [repositoryRuleFolder]
      : [])
  ].map((edited) => `This change edits ${edited}; its version before the change was used.`)

const isRepositoryRule = (path: string): boolean => path.startsWith(`${repositoryRuleFolder}/`)

const editedPolicies = (change: Change): ReadonlyArray<string> =>
  repositoryFileNames.filter((name) => change.diff.files.some(({ path, oldPath }) => path === name || oldPath === name))

/** A rule that was switched off is said, above all when the repository did it. */
const disabledNote = ({ rulesDisable }: ReviewSettings): ReadonlyArray<string> =>
  rulesDisable.length === 0
    ? []
    : [`Not applied: ${rulesDisable.map(({ value, origin }) => `${value} (${originText(origin)})`).join(", ")}.`]

/** Every rule that is on by default or asked for, and not switched off. */
export const enabledRules = (
  { rulesDisable, rulesEnable }: Pick<ReviewSettings, "rulesDisable" | "rulesEnable">,
  rules: ReadonlyArray<Rule> = shippedRules
): ReadonlyArray<Rule> => {
  const isNamed = (patterns: ReadonlyArray<{ readonly value: string }>, { id }: Rule) =>
    patterns.some(({ value }) => namesRule(value, id))
  return rules.filter(
    (rule) => !isNamed(rulesDisable, rule) && (rule.offByDefault !== true || isNamed(rulesEnable, rule))
  )
}

/** What the rules of this run say of themselves. */
export const wordsOfRules = (rules: ReadonlyArray<Rule>): RenderContext["rule"] => {
  const byId = new Map([...shippedRules, ...rules].map((rule) => [rule.id, rule]))
  return (id) => byId.get(id)
}

const wantsColour = Effect.fnUntraced(function* (settings: ReviewSettings) {
  if (settings.color.value !== "auto") return settings.color.value === "always"
  return yield* coloured
})

/** What the terminal, or its absence, says of colours. */
export const coloured = Effect.gen(function* () {
  return (yield* TerminalCapabilities.TerminalCapabilities).canColor
})

/** A terminal that cannot take a line back is written to like a pipe. */
const isDumb = Config.String("TERM").pipe(
  Effect.map((term) => term === "dumb"),
  Effect.orElseSucceed(() => false)
)

const shownOf = (typed: Typed, settings: ReviewSettings) => {
  const shown = settings.maxFindings.value
  return { all: typed.all, shown: shown === 0 ? Number.POSITIVE_INFINITY : shown }
}

/** The code around the findings, for those formats that show it. */
export const sourceLines = Effect.fnUntraced(function* (result: ReviewResult) {
  const sources = yield* Sources
  const lines = new Map<string, ReadonlyArray<string>>()
  for (const path of new Set(result.findings.map((finding) => finding.file))) {
    const source = yield* sources.head(path)
    if (source._tag === "Text") lines.set(path, source.lines)
  }
  const shown: SourceLines = lines
  return shown
})

const writeFile = (path: string, text: string) =>
  writeWhole(path, text).pipe(Effect.mapError((error) => new OutputNotWritten({ path, reason: troubleOf(error) })))

export const reviewCommand = Command.make("review", reviewFlags).pipe(
  Command.withShortDescription("Review a change: the branch and uncommitted edits, or the last commit"),
  Command.withDescription(`Review a change.

  When nothing is said: the branch against its base and uncommitted edits; on the base branch
  with a clean tree, the last commit. It says which.

  Never edits the working tree, never runs code or configuration of the repository. Leaves its
  working files in .daydream/, which ignores itself.

  Exit codes: 0 pass, 1 findings at or above --fail-on, 2 usage or configuration, 3 could not
  run, 4 inconclusive (see --on-inconclusive), 130 interrupted, 143 terminated.`),
  Command.withExamples([
    { command: "dd review", description: "Review your branch and what you have not committed yet" },
    { command: "dd review --commit HEAD~3", description: "Review one commit" },
    { command: "git diff | dd review --diff-file -", description: "Review a patch" },
    { command: "dd review --fail-on high --output sarif=dd.sarif", description: "Gate a CI job and keep the findings" }
  ]),
  Command.withHandler(handler),
  Command.provide(
    Layer.mergeAll(
      Changes.layer.pipe(Layer.provideMerge(Git.layer)),
      layerTimeout,
      BaselineFile.layer,
      layerSecureRandom
    )
  )
)
