/** Writes what a review found: the report to standard output, other formats and the baseline to files. */
import { Effect, FileSystem, Option, Result, Scheduler } from "effect"
import { highlights, type Token } from "../../domain/code/Highlight.ts"
import { baselineFileName } from "../../domain/finding/Baseline.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { columnsOf } from "../../layers/system/terminal.ts"
import { preview, type ReviewRequest, review } from "../../programs/review.ts"
import { Budget } from "../../services/agent/Budget.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { Sources } from "../../services/change/Sources.ts"
import { SyntaxTrees } from "../../services/code/SyntaxTrees.ts"
import { writeBaseline as writeBaselineFile } from "../../services/review/baselineFile.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { readingDiffText } from "../brief/ReadingDiffText.ts"
import { exitCodeFor } from "../system/exitCode.ts"
import { failureOf, presentable } from "../system/failure.ts"
import { Outcome, type Restore } from "../system/outcome.ts"
import { fitted } from "../system/terminal.ts"
import { OutputNotWritten, writeOut } from "../system/writeOut.ts"
import { folded } from "../text/Page.ts"
import { coverageLines, logText } from "./detailedLog.ts"
import * as Progress from "./Progress.ts"
import { exitReason } from "./render/exitReason.ts"
import { type Format, render } from "./render/Format.ts"
import { errorLine, resultLines } from "./render/JsonLines.ts"
import { Presentable } from "./render/Presentable.ts"
import { renderPreview } from "./render/Preview.ts"
import type { RenderContext } from "./render/RenderContext.ts"
import { suppressionLines } from "./render/SuppressionLines.ts"
import { type Output, type ReviewFlags, UsageWrong } from "./reviewFlags.ts"
import { passNotes } from "./reviewNotes.ts"

export type Page = Omit<RenderContext, "exitCode" | "exitReason">

export interface Reviewed {
  readonly flags: ReviewFlags
  readonly outputs: ReadonlyArray<Output>
  readonly repository: Repository | null
  /** Absent: by `--fail-on` and `--on-inconclusive`. */
  readonly judge?: (result: ReviewResult, settings: ReviewSettings) => Effect.Effect<Judgement>
}

/** What a result means to the command that asked for the review. */
export interface Judgement {
  readonly code: number
  /** Why; absent: by `--fail-on` and `--on-inconclusive`. */
  readonly reason?: string
  readonly isShown: boolean
}

/**
 * A signal interrupts the review and the writing of its result; once the result is written, the exit code is decided.
 * Writes nothing, and returns the passes so far, if another pass of the loop follows.
 */
export const showReview = Effect.fnUntraced(function* (
  { flags, judge, outputs, repository }: Reviewed,
  request: ReviewRequest,
  settings: ReviewSettings,
  page: Page,
  restore: Restore
) {
  const poster = flags.comment ? yield* Effect.promise(() => import("../forge/postReviewed.ts")) : null
  if (poster !== null && Option.isSome(flags.prNumber)) yield* restore(poster.checkTarget(flags.prNumber.value))
  const { goesOn, result, stopCode } = yield* restore(review(request))
  if (goesOn) {
    const notes = flags.quiet ? [] : passNotes(request.loop, result.passes).slice(-1)
    for (const note of notes) yield* Progress.writeError(`${note}\n`)
    return result.passes
  }
  const judged: Judgement =
    judge === undefined
      ? {
          code: exitCodeFor(result, settings.failOn.value, settings.onInconclusive.value),
          isShown: !(flags.quiet && settings.format.value === "text" && isQuiet(result))
        }
      : yield* restore(judge(result, settings))
  const code = stopCode || judged.code
  const format = settings.format.value
  const presentable = yield* presentableOf(result, format === "text" && page.colour)
  if (flags.verbose && !flags.quiet) {
    const width = columnsOf(2) ?? Number.POSITIVE_INFINITY
    const lines = coverageLines(presentable.result).map(([about, text]) => logText([about, oneLine(text)]))
    for (const line of lines) yield* Progress.writeError(`${folded(line, width)}\n`)
  }
  const reason = judged.reason ?? exitReason(result, { exitCode: code, failOn: settings.failOn.value })
  const context: RenderContext = { ...page, exitCode: code, exitReason: reason }
  // The stream has written its first lines already.
  const written = format === "jsonl" ? resultLines(presentable, context) : render(format, presentable, context)
  const diff =
    settings.brief.value === "diff" && format === "text" && result.brief !== null
      ? readingDiffText(request.change.diff, result.brief.form, yield* Redactor, context.colour)
      : []
  const shown = format === "text" ? yield* fitted(written) : written
  const report = diff.length === 0 ? shown : `${shown}\n${diff.join("\n")}\n`
  const inFiles = { ...context, isTerminal: false, here: null, shown: shownInFiles(settings) }
  const writeFiles = Effect.gen(function* () {
    // Lets a signal that has arrived interrupt here.
    yield* Effect.yieldNow
    // All files are tried before a failure is reported.
    const files = yield* Effect.forEach(outputs, (output) =>
      Effect.result(writeFile(output, render(output.format, presentable, { ...inFiles, ...limitOf(output) })))
    )
    const baseline = yield* Effect.result(flags.writeBaseline ? writeBaseline(flags, repository, result) : Effect.void)
    return { files, baseline }
  })
  const { baseline, files } = yield* restore(writeFiles)
  // No yield between the last byte of the report and the end of the interruptible part.
  const printed = yield* restore(Effect.result(judged.isShown ? writeOut(report) : Effect.void)).pipe(
    Effect.provideService(Scheduler.PreventSchedulerYield, true)
  )
  if (!flags.quiet) yield* writeSuppressed(format, presentable, context)
  for (const each of [...files, printed]) if (Result.isFailure(each)) return yield* each.failure
  if (Result.isFailure(baseline)) return yield* baseline.failure
  if (poster !== null && Option.isSome(flags.prNumber)) {
    const archive = settings.archive.value === "on" ? yield* archiveDirectory : null
    const place = { archive, number: flags.prNumber.value, quiet: flags.quiet }
    yield* restore(poster.postReviewed(request.change, result, place))
  }
  if (code !== 0) return yield* new Outcome({ code })
  return null
})

/** For formats that have no place for what is suppressed. */
const writeSuppressed = (format: Format, { result }: Presentable, context: RenderContext) => {
  const lines = format === "gitlab" || format === "rdjsonl" ? suppressionLines(result, context) : []
  if (lines.length === 0) return Effect.void
  const title = `Suppressed (${plural(result.suppressed.length, "finding")}, not in the format ${format})`
  return Progress.writeError(`${[title, ...lines.map(({ text }) => `  ${text}`)].join("\n")}\n`)
}

/** In files and pipes every finding is shown, unless the user chose a number. */
export const shownInFiles = ({ maxFindings: { origin, value } }: ReviewSettings): number =>
  origin._tag === "Default" || value === 0 ? Number.POSITIVE_INFINITY : value

/** No findings, and nothing left unreviewed. */
const isQuiet = ({ findings, status, coverage }: ReviewResult): boolean =>
  findings.length === 0 && status === "complete" && (coverage.filesReviewed > 0 || coverage.filesInDiff === 0)

/** With the code around the findings, if wished with highlighting. */
export const presentableOf = Effect.fnUntraced(function* (result: ReviewResult, highlighted: boolean) {
  const sources = yield* Sources
  const trees = yield* SyntaxTrees
  const lines = new Map<string, ReadonlyArray<string>>()
  const tokens = new Map<string, ReadonlyArray<Token>>()
  const places = result.findings.flatMap((finding) => [finding, ...finding.related])
  for (const [path, inFile] of Map.groupBy(places, ({ file }) => file)) {
    const source = yield* sources.head(path)
    if (source._tag !== "Text") continue
    lines.set(path, source.lines)
    if (!highlighted) continue
    const rows = inFile.map(({ line }) => ({ first: line - linesBefore, last: line + linesAfter }))
    const found = yield* trees.head(path, { ask: (root) => highlights(root, rows, source.lines) })
    if (found !== null) tokens.set(path, found)
  }
  return Presentable.of(result, lines, (yield* Redactor).text, tokens)
})

/** More than a report shows of a place. */
const linesBefore = 4
const linesAfter = 10

/** GitHub refuses a job page of more than 1 MiB; a character may be three bytes. */
const limitOf = ({ isAppended = false }: Output) => (isAppended ? { mostCharacters: 300_000 } : {})

const writeFile = ({ isAppended = false, path }: Output, text: string) =>
  (isAppended
    ? FileSystem.FileSystem.use((fs) => fs.writeFileString(path, text, { flag: "a" }))
    : writeWhole(path, text)
  ).pipe(Effect.mapError((error) => new OutputNotWritten({ path, reason: systemErrorText(error) })))

const writeBaseline = Effect.fnUntraced(function* (
  flags: ReviewFlags,
  repository: Repository | null,
  { findings }: ReviewResult
) {
  const path = Option.getOrElse(flags.baseline, () => `${repository?.root ?? "."}/${baselineFileName}`)
  yield* writeBaselineFile(path, findings)
  if (flags.quiet) return
  const shownPath = presentable(path, (yield* Redactor).words)
  yield* Progress.writeError(`${plural(findings.length, "finding")} written to ${shownPath}\n`)
})

export const showPreview = Effect.fnUntraced(function* (request: ReviewRequest, format: Format, page: Page) {
  const plan = yield* preview(request)
  if (format !== "text" && format !== "json") {
    return yield* new UsageWrong({ reason: `--preview supports the formats text and json, not ${format}` })
  }
  const shown = {
    description: request.change.description,
    backend: plan.backend,
    callsModel: plan.callsModel,
    stacks: plan.stacks,
    skipped: plan.skipped,
    agentsPlanned: plan.agentsPlanned,
    agentsForClaims: plan.agentsForClaims,
    followUpsAtMost: plan.followUpsAtMost,
    costUsd: plan.cost.usd,
    expectedUsd: plan.cost.expectedUsd,
    limitUsd: plan.callsModel ? ((yield* Budget).limit?.usd ?? null) : null,
    promptTokens: plan.cost.promptTokens,
    brief: plan.brief,
    notes: [
      ...(plan.callsModel ? [] : request.reviewedBy([], false)),
      ...(plan.leavesOutFixes ? [withoutFixesNote] : []),
      ...request.notes
    ]
  }
  yield* writeOut(renderPreview(shown, format, page, (yield* Redactor).text))
})

const withoutFixesNote =
  "Agents and cost are those of the review; fixing its findings and verifying the fixes (--fix) are not estimated."

/** Ends a `jsonl` stream that failed with an `error` line; findings at the threshold are not a failure. */
export const endStream = (error: { readonly _tag: string; readonly message: string }) =>
  error instanceof Outcome
    ? Effect.void
    : Redactor.use(({ text }) => writeOut(errorLine(error, failureOf(error, text).code, text)))
