/**
 * The `text` format: what was reviewed, the most important findings, and what was not reviewed.
 *
 * Shows every high finding and others up to a limit. Without colour the newline is the only control character.
 */
import { sameDegraded, timesWords } from "../../../domain/change/Degraded.ts"
import { byImportance, type Finding } from "../../../domain/finding/Finding.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { visibleCode } from "../../../domain/text/Printable.ts"
import { briefText } from "../../brief/BriefText.ts"
import { type Ink, inkFor } from "../../text/Ink.ts"
import { columns, cut, wrap, wrapAtMost } from "../../text/Page.ts"
import { plural, severityWords } from "../../text/Tally.ts"
import { excerptOf, gutterLines } from "./Excerpt.ts"
import { fixOf, placeOf, reservationsOf, suggestedLines, suppressionHint, whyOf } from "./Explanation.ts"
import { feedbackLines } from "./FeedbackLines.ts"
import { fixLines } from "./FixLines.ts"
import { headlineOf, isWhole } from "./Headline.ts"
import type { Presentable } from "./Presentable.ts"
import { reasonLines } from "./ReasonList.ts"
import type { RenderContext } from "./RenderContext.ts"
import { suppressionLines } from "./SuppressionLines.ts"

const mostTitleLines = 3
const mostProseLines = 8
const mostFixLines = 12
const longestCopied = 200
const indent = "   "

type Block = ReadonlyArray<string>

export const renderText = ({ result, code }: Presentable, context: RenderContext): string => {
  const page: Page = { context, code, ink: inkFor(context.colour), width: Math.max(40, context.width) }
  const findings = [...result.findings].sort(byImportance)
  const isShown = ({ severity }: Finding, at: number) => context.all || at < context.shown || severity === "high"
  const shown = findings.filter(isShown)
  const blocks: ReadonlyArray<Block> = [
    heading(result, page),
    ...shown.flatMap((finding, index) => findingBlocks(finding, index + 1, page)),
    remainder(
      findings.filter((finding, at) => !isShown(finding, at)),
      page
    ),
    notes(fixLines(result, context), page),
    notes(feedbackLines(result, context), page),
    brief(result, page),
    coverage(result, page),
    degraded(result, page),
    suppressed(result, page),
    dropped(result, page)
  ]
  const filled = blocks.filter((block) => block.length > 0)
  return `${filled.map((block) => block.map(withoutCommand).join("\n")).join("\n\n")}\n`
}

/** A path may begin with `::`, which is a command in the log of a CI job. */
const withoutCommand = (line: string): string => line.replace(/^(\s*):(?=:)/, "$1: ")

interface Page {
  readonly context: RenderContext
  readonly code: Presentable["code"]
  readonly ink: Ink
  readonly width: number
}

const heading = (result: ReviewResult, { context, ink, width }: Page): Block => {
  const { description } = result.run
  const verdict = wrap(headlineOf(result), width)
  return [
    ...wrapAtMost(`Review of ${context.here?.description(description) ?? description}`, width, mostTitleLines).map(
      ink.bold
    ),
    ...result.notes
      .flatMap((note) => wrapAtMost(context.here?.prose(note) ?? note, width, mostTitleLines))
      .map(ink.dim),
    "",
    ...verdict.map(isWhole(result) ? ink.bold : ink.warning)
  ]
}

const findingBlocks = (finding: Finding, number: number, page: Page): ReadonlyArray<Block> => {
  const { context, code, ink, width } = page
  const inside = width - indent.length
  const indented = (lines: ReadonlyArray<string>) => lines.map((line) => (line === "" ? "" : indent + line))
  const prose = (text: string) => (context.all ? wrap(text, inside) : wrapAtMost(text, inside, mostProseLines))
  const excerpt = excerptOf(finding, code)
  const fix = fixOf(finding, context)
  const blocks: ReadonlyArray<Block> = [
    [
      `${String(number).padEnd(indent.length - 1)} ${ink.severity(finding.severity, finding.severity)}  ${ink.bold(cut(placeOf(finding, context), longestCopied))}`,
      ...indented(wrapAtMost(finding.title, inside, mostTitleLines)).map(ink.bold)
    ],
    ...whyOf(finding, context).map((paragraph) => indented(prose(context.here?.prose(paragraph) ?? paragraph))),
    excerpt.length === 0
      ? []
      : gutterLines(excerpt, inside).map(({ marked, gutter, text }) =>
          marked ? indent + ink.severity(finding.severity, gutter) + text : indent + ink.dim(gutter + text)
        ),
    [
      ...(fix === undefined ? [] : indented(fix.includes("\n") ? codeFix(fix, inside) : prose(`Fix: ${fix}`))),
      ...indented(codeLines(suggestedLines(finding, context), inside)),
      ...indented(footnote(finding, inside)).map(ink.dim)
    ]
  ]
  return blocks.filter((block) => block.length > 0)
}

/** A fix of several lines is usually code: it keeps its indentation. */
const codeFix = (fix: string, width: number): Block => ["Fix:", ...codeLines(fix.split("\n"), width)]

const codeLines = (lines: ReadonlyArray<string>, width: number): Block => [
  ...lines.slice(0, mostFixLines).map((line) => `  ${cut(visibleCode(line), width - 2)}`.trimEnd()),
  ...(lines.length > mostFixLines ? ["  …"] : [])
]

/** The rule, reservations, and how to suppress the finding. Text for copying stays on one line. */
const footnote = (finding: Finding, width: number): Block => {
  const reservations = reservationsOf(finding)
  const rule = reservations.length === 0 ? finding.rule : `${finding.rule} (${reservations.join(", ")})`
  const hint = `To suppress: ${cut(suppressionHint(finding), longestCopied)}`
  return columns(rule) + columns(hint) + 2 <= width ? [`${rule}. ${hint}`] : [...wrap(rule, width), hint]
}

const remainder = (hidden: ReadonlyArray<Finding>, { ink, width }: Page): Block =>
  hidden.length === 0
    ? []
    : wrap(
        `${plural(hidden.length, "more finding")} not shown (${severityWords(hidden)}). Add --all to see them.`,
        width
      ).map(ink.bold)

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
      wrap(`${steps.join(", ")}: ${context.here?.prose(words) ?? words}${timesWords(count)}`, width - 2).map(
        (line) => `  ${line}`
      )
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
