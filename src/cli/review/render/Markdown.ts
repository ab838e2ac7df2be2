/**
 * The `markdown` format: a comment for a pull request.
 *
 * A summary, then a section for each finding. Skipped, suppressed and dropped items are folded; unread files are not.
 * Fits into one comment.
 */
import type { Brief } from "../../../domain/brief/Brief.ts"
import { type BriefExtent, briefSections } from "../../../domain/brief/briefLines.ts"
import { sameDegraded, timesWords } from "../../../domain/change/Degraded.ts"
import { byImportance, type Finding } from "../../../domain/finding/Finding.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { codeBlock, codeSpan, markdownText } from "../../../domain/text/MarkdownText.ts"
import { visibleCode } from "../../../domain/text/Printable.ts"
import { inkFor } from "../../text/Ink.ts"
import { cut } from "../../text/Page.ts"
import { byReason, plural, type Reason } from "../../text/Tally.ts"
import { codeRows, frameFor, type Page } from "./Diagnostic.ts"
import { fixOf, placeOf, reservationsOf, suggestedLines, suppressionHint, whyOf } from "./Explanation.ts"
import { feedbackLines } from "./FeedbackLines.ts"
import { fixLines } from "./FixLines.ts"
import { headlineOf } from "./Headline.ts"
import type { Presentable } from "./Presentable.ts"
import { documentation, type RenderContext } from "./RenderContext.ts"

/** GitHub refuses a comment of more than 65,536 characters. */
const mostCharacters = 60_000
/** Findings with a section of their own, without --all; the others are listed. */
const mostSections = 20
const codeWidth = 100

/** Blocks are separated by an empty line. */
type Block = ReadonlyArray<string>

export const renderMarkdown = (review: Presentable, context: RenderContext): string => {
  const { result } = review
  const findings = [...result.findings].sort(byImportance)
  const opening: ReadonlyArray<Block> = [
    ["## dd review"],
    [`**${markdownText(headlineOf(result))}**`],
    [`Review of ${words(result.run.description)}.`],
    ...result.notes.slice(0, mostNotes).map((note) => [words(note)])
  ]
  const closing = [
    ...fixes(result, context),
    ...brief(result.brief, context.brief),
    ...unread(result),
    ...degraded(result),
    ...skipped(result),
    ...suppressed(result),
    ...dropped(result)
  ]
  const room = mostCharacters - sizeOf(opening) - sizeOf(closing) - longestList
  const sections = fitting(context.all ? findings : findings.slice(0, mostSections), room, (finding, index) =>
    findingBlocks(finding, index + 1, review, context)
  )
  const left = findings.slice(sections.length)
  const others = folded(plural(left.length, "more finding"), left, findingLine)
  return `${joined([...opening, ...sections.flat(), ...others, ...closing])}\n`
}

/** Limits of a list, in items and characters. */
const mostListed = 50
const longestList = 6_000
const mostNotes = 10
const mostPaths = 10
const longestWords = 200
const longestParagraph = 2_000

const span = (text: string): string => codeSpan(cut(text, longestWords))
const words = (text: string): string => markdownText(cut(text, longestWords))
const paragraph = (text: string): string => markdownText(cut(text, longestParagraph))
/** A claim before a colon. */
const claim = (text: string): string => words(text.replace(/\.$/, ""))

const joined = (blocks: ReadonlyArray<Block>): string => blocks.map((block) => block.join("\n")).join("\n\n")
const sizeOf = (blocks: ReadonlyArray<Block>): number => joined(blocks).length + 2

/** As many sections, from the first, as fit. */
const fitting = <A>(
  items: ReadonlyArray<A>,
  room: number,
  section: (item: A, index: number) => ReadonlyArray<Block>
): ReadonlyArray<ReadonlyArray<Block>> => {
  const sections: Array<ReadonlyArray<Block>> = []
  let left = room
  for (const [index, item] of items.entries()) {
    const blocks = section(item, index)
    left -= sizeOf(blocks)
    if (left < 0) break
    sections.push(blocks)
  }
  return sections
}

const findingBlocks = (
  finding: Finding,
  number: number,
  { code }: Presentable,
  context: RenderContext
): ReadonlyArray<Block> => {
  const page: Page = { code, context, ink: inkFor(false), width: codeWidth }
  const shownCode = finding.line === 0 ? [] : codeRows(finding, page, frameFor(finding, page))
  const fix = fixOf(finding, context)
  const suggested = suggestedLines(finding, context)
  const address = documentation(context.rule(finding.rule))
  const rule = address === undefined ? span(finding.rule) : `[${span(finding.rule)}](<${address}>)`
  return [
    [`### ${number}. ${sentence(finding.severity)}: ${words(finding.title)}`],
    [[span(placeOf(finding)), rule, ...reservationsOf(finding)].join(" · ")],
    ...whyOf(finding, context).map((why) => [paragraph(why)]),
    ...(shownCode.length === 0 ? [] : [codeBlock(shownCode)]),
    ...(fix === undefined ? [] : fixBlocks(fix)),
    ...(suggested.length === 0
      ? []
      : [codeBlock(cut(suggested.join("\n"), longestParagraph).split("\n").map(visibleCode))]),
    [`<sub>To suppress: ${span(suppressionHint(finding))}</sub>`]
  ]
}

/** A fix of several lines is usually code. */
const fixBlocks = (fix: string): ReadonlyArray<Block> =>
  fix.includes("\n")
    ? [["**Fix:**"], codeBlock(cut(fix, longestParagraph).split("\n").map(visibleCode))]
    : [[`**Fix:** ${paragraph(fix)}`]]

const findingLine = (finding: Finding): string =>
  `${finding.severity} ${span(placeOf(finding))} ${words(finding.title)} (${span(finding.rule)})`

/** The same facts as in the text report, folded. */
const brief = (facts: Brief | null, extent: BriefExtent | null = "short"): ReadonlyArray<Block> => {
  const lines = facts === null || extent === null ? [] : briefFacts(facts, extent)
  return folded("What the change does", lines, (line) => line)
}

const briefFacts = (facts: Brief, extent: BriefExtent): ReadonlyArray<string> =>
  briefSections(facts, extent).flatMap(({ label, lines }) =>
    lines.map(
      ({ command, place, text }) =>
        `**${label}:** ${command === true ? span(text) : words(text)}${place === null ? "" : ` ${span(placeOf(place))}`}`
    )
  )

/** For `dd brief`: the facts without a report around them. */
export const renderBriefMarkdown = (facts: Brief, description: string, extent: BriefExtent): string =>
  `${joined([["## dd brief"], [`Brief of ${words(description)}.`], list(briefFacts(facts, extent), (line) => line)])}\n`

const unread = ({ coverage }: ReviewResult): ReadonlyArray<Block> => {
  const files = coverage.files.filter((file) => file.status === "unread")
  if (files.length === 0) return []
  return [[`**Not reviewed (${plural(files.length, "file")})**`], list(byReason(files), reasonLine)]
}

const degraded = (result: ReviewResult): ReadonlyArray<Block> => {
  if (result.degraded.length === 0) return []
  const steps = list(
    sameDegraded(result.degraded),
    ({ count, steps, words: detail }) => `${steps.map(span).join(", ")}: ${words(detail)}${timesWords(count)}`
  )
  return [["**Incomplete steps**"], steps]
}

const skipped = ({ coverage }: ReviewResult): ReadonlyArray<Block> => {
  const files = coverage.files.filter((file) => file.status === "skipped")
  return folded(`${plural(files.length, "file")} skipped`, byReason(files), reasonLine)
}

const fixes = (result: ReviewResult, context: RenderContext): ReadonlyArray<Block> => {
  const made = [fixLines(result, context), feedbackLines(result, context)].filter((each) => each !== null)
  return made.map(({ lines, title }) => [`**${words(title)}**`, "", ...lines.map((line) => `- ${words(line)}`)])
}

const suppressed = (result: ReviewResult): ReadonlyArray<Block> =>
  folded(
    `${plural(result.suppressed.length, "finding")} suppressed`,
    result.suppressed,
    ({ addedByChange, by, finding, reason }) => {
      const origin = addedByChange ? `${span(by)}, **added by this change**` : span(by)
      return `${finding.id}: ${span(placeOf(finding))} ${span(finding.rule)}, by ${origin}: ${words(reason === "" ? "no reason given" : reason)}`
    }
  )

const dropped = (result: ReviewResult): ReadonlyArray<Block> =>
  folded(
    `${plural(result.dropped.length, "claim")} dropped by the evidence check or the arbiter`,
    result.dropped,
    ({ reason, record }) => `${span(placeOf(record))} ${claim(record.title ?? record.description)}: ${words(reason)}`
  )

// Markdown inside HTML needs empty lines around it.
const folded = <A>(title: string, items: ReadonlyArray<A>, show: (item: A) => string): ReadonlyArray<Block> =>
  items.length === 0 ? [] : [[`<details><summary>${title}</summary>`], list(items, show), ["</details>"]]

const list = <A>(items: ReadonlyArray<A>, show: (item: A) => string): Block => {
  const lines: Array<string> = []
  let size = 0
  for (const item of items.slice(0, mostListed)) {
    const line = `- ${show(item).replaceAll("\n", " ")}`
    size += line.length + 1
    if (size > longestList - 100) break
    lines.push(line)
  }
  return lines.length === items.length ? lines : [...lines, `- and ${items.length - lines.length} more`]
}

const reasonLine = ({ reason, paths }: Reason): string => {
  const more = paths.length > mostPaths ? ` and ${paths.length - mostPaths} more` : ""
  return `${words(reason === "" ? "no reason given" : reason)}: ${paths.slice(0, mostPaths).map(span).join(", ")}${more}`
}

const sentence = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
