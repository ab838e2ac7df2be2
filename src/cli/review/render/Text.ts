/**
 * The `text` format: the most important findings, what was not reviewed, and at the end the sum and the reason for the exit code.
 *
 * Shows every high finding and others up to a limit. Without colour the newline is the only control character.
 */
import { sameDegraded, timesWords } from "../../../domain/change/Degraded.ts"
import { byImportance, type Finding } from "../../../domain/finding/Finding.ts"
import { notCheckedStart, type ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { plural } from "../../../domain/text/plural.ts"
import { briefText } from "../../brief/BriefText.ts"
import { inkFor } from "../../text/Ink.ts"
import { wrap, wrapAtMost } from "../../text/Page.ts"
import { failedStepInWords } from "../../text/stepWords.ts"
import { severityWords } from "../../text/Tally.ts"
import { diagnosticRows, type Page } from "./Diagnostic.ts"
import { placeOf, suppressionHint } from "./Explanation.ts"
import { feedbackLines } from "./FeedbackLines.ts"
import { fixLines } from "./FixLines.ts"
import { headlineOf, isWhole } from "./Headline.ts"
import type { Presentable } from "./Presentable.ts"
import { reasonLines } from "./ReasonList.ts"
import type { RenderContext } from "./RenderContext.ts"
import { suppressionLines } from "./SuppressionLines.ts"

const mostTitleLines = 3

type Block = ReadonlyArray<string>

export const renderText = ({ result, code }: Presentable, context: RenderContext): string => {
  const page: Page = { context, code, ink: inkFor(context.colour), width: Math.max(40, context.width) }
  const findings = [...result.findings].sort(byImportance)
  const isShown = ({ severity }: Finding, at: number) => context.all || at < context.shown || severity === "high"
  const shown = findings.filter(isShown)
  const blocks: ReadonlyArray<Block> = [
    heading(result, page),
    ...shown.map((finding) => diagnosticRows(finding, page)),
    notes(fixLines(result, context), page),
    notes(feedbackLines(result, context), page),
    brief(result, page),
    coverage(result, page),
    degraded(result, page),
    suppressed(result, page),
    dropped(result, page),
    ending(
      result,
      findings.filter((finding, at) => !isShown(finding, at)),
      page
    )
  ]
  const filled = blocks.filter((block) => block.length > 0)
  return `${filled.map((block) => block.map(withoutCommand).join("\n")).join("\n\n")}\n`
}

/** A path may begin with `::`, which is a command in the log of a CI job. */
const withoutCommand = (line: string): string => line.replace(/^(\s*):(?=:)/, "$1: ")

const heading = (result: ReviewResult, { context, ink, width }: Page): Block => {
  const { description } = result.run
  return [
    ...wrapAtMost(`Review of ${context.here?.description(description) ?? description}`, width, mostTitleLines).map(
      ink.bold
    ),
    ...result.notes.flatMap((note) =>
      wrapAtMost(context.here?.prose(note) ?? note, width, mostTitleLines).map(
        note.startsWith(notCheckedStart) ? ink.warning : ink.dim
      )
    )
  ]
}

/** The sum, the reason for the exit code, and what a reader may do next. */
const ending = (result: ReviewResult, hidden: ReadonlyArray<Finding>, { context, ink, width }: Page): Block => {
  const reason = context.exitReason
  const isBad = context.exitCode !== 0
  const more = `${plural(hidden.length, "more finding")} not shown (${severityWords(hidden)}). Add --all to see them.`
  return [
    ...(hidden.length === 0 ? [] : [...wrap(more, width).map(ink.bold), ""]),
    ...wrap(headlineOf(result), width).map(isWhole(result) ? ink.bold : ink.warning),
    ...(reason === null ? [] : wrap(reason, width).map(isBad ? ink.error : ink.added)),
    ...nextSteps(result).map(ink.dim)
  ]
}

/** Text for copying stays on one line. */
const nextSteps = ({ findings }: ReviewResult): Block => {
  const hint = suppressionHint(findings)
  return hint === null ? [] : ["To learn more about a rule: dd explain RULE", hint.join(" ")]
}

const notes = (made: ReturnType<typeof fixLines>, { context, ink, width }: Page): Block => {
  if (made === null) return []
  const lines = made.lines.flatMap((line) => wrap(context.here?.prose(line) ?? line, width - 2))
  return [ink.bold(made.title), ...lines.map((line) => `  ${line}`)]
}

const brief = (result: ReviewResult, { context, width }: Page): Block =>
  result.brief === null || context.brief === null
    ? []
    : briefText(result.brief, context.brief ?? "short", { ...context, width })

const coverage = (result: ReviewResult, { context, ink, width }: Page): Block => {
  const withStatus = (status: string) =>
    result.coverage.files
      .filter((file) => file.status === status)
      .map((file) => ({ ...file, path: context.here?.path(file.path) ?? file.path }))
  const unread = withStatus("unread")
  const skipped = withStatus("skipped")
  const inPart = withStatus("reviewed").filter((file) => file.reason !== "")
  return [
    ...(unread.length === 0 ? [] : [ink.warning(`Not reviewed (${plural(unread.length, "file")})`)]),
    ...reasonLines(unread, context.all, width),
    ...(inPart.length === 0 ? [] : [`Reviewed in part (${plural(inPart.length, "file")})`]),
    ...reasonLines(inPart, context.all, width),
    ...(skipped.length === 0 ? [] : [`Skipped (${plural(skipped.length, "file")})`]),
    ...reasonLines(skipped, context.all, width).map(ink.dim)
  ]
}

const degraded = (result: ReviewResult, { context, ink, width }: Page): Block => {
  if (result.degraded.length === 0) return []
  const groups = sameDegraded(result.degraded)
  return [
    ink.warning("Incomplete steps"),
    ...limited(groups, context.all).flatMap(({ count, steps, words }) =>
      wrap(
        `${[...new Set(steps.map(failedStepInWords))].join(", ")}: ${context.here?.prose(words) ?? words}${timesWords(count)}`,
        width - 2
      ).map((line) => `  ${line}`)
    ),
    ...beyond(groups, context.all, "step")
  ]
}

const suppressed = (result: ReviewResult, { context, ink, width }: Page): Block => {
  if (result.suppressed.length === 0) return []
  const added = result.suppressed.filter((one) => one.addedByChange).length
  const own = added === 0 ? "" : `, ${added} by this change`
  const lines = suppressionLines(result, context)
  return [
    ...wrap(`Suppressed (${plural(result.suppressed.length, "finding")}${own})`, width),
    ...limited(lines, context.all).flatMap(({ addedByChange, text }) =>
      wrap(text, width - 2).map((line) => `  ${addedByChange ? ink.warning(line) : ink.dim(line)}`)
    ),
    ...beyond(lines, context.all, "suppression")
  ]
}

const dropped = (result: ReviewResult, { context, ink, width }: Page): Block => {
  if (result.dropped.length === 0) return []
  const title = `Dropped by the evidence check or the arbiter (${plural(result.dropped.length, "claim")})`
  if (!context.all) return wrap(`${title}; --all lists them`, width).map(ink.dim)
  return [
    title,
    ...result.dropped.flatMap(({ reason, record }) =>
      wrap(
        `${placeOf(record, context)} ${(record.title ?? record.description).replace(/\.$/, "")}: ${reason}`,
        width - 2
      ).map((line) => `  ${ink.dim(line)}`)
    )
  ]
}

const mostListed = 20

const limited = <A>(items: ReadonlyArray<A>, all: boolean): ReadonlyArray<A> =>
  all ? items : items.slice(0, mostListed)

const beyond = (items: ReadonlyArray<unknown>, all: boolean, noun: string): Block =>
  all || items.length <= mostListed ? [] : [`  and ${plural(items.length - mostListed, `more ${noun}`)}`]
