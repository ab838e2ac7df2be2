/**
 * The `markdown` format: a page for a pull request or a job.
 *
 * A summary, a table of contents if there are many findings, then a section for each high finding and for the first others. All
 * other findings are listed, folded. Long explanations and long code, skipped, suppressed and dropped items are folded; unread files
 * are not. Places are links if the forge of the repository is known. A file names everything; only a page that a service limits has
 * lists that end with a count.
 */
import type { Brief } from "../../../domain/brief/Brief.ts"
import { type BriefExtent, briefSections } from "../../../domain/brief/briefLines.ts"
import { sameDegraded, timesWords } from "../../../domain/change/Degraded.ts"
import { byImportance, type Finding } from "../../../domain/finding/Finding.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { codeBlock, codeSpan, fenceLanguage, fileLink, markdownText } from "../../../domain/text/MarkdownText.ts"
import { visibleCode } from "../../../domain/text/Printable.ts"
import { plural } from "../../../domain/text/plural.ts"
import { cut } from "../../text/Page.ts"
import { failedStepInWords } from "../../text/stepWords.ts"
import { byReason, type Reason, someOf } from "../../text/Tally.ts"
import {
  fixOf,
  placeOf,
  replacedLines,
  reservationsOf,
  suggestedLines,
  suppressionHint,
  whyBesidePlaces,
  withoutIndent
} from "./Explanation.ts"
import { feedbackLines } from "./FeedbackLines.ts"
import { fixLines } from "./FixLines.ts"
import { headlineOf } from "./Headline.ts"
import type { Presentable, ShownCode } from "./Presentable.ts"
import { documentation, type RenderContext } from "./RenderContext.ts"
import { cutAtDifferences } from "./Snippet.ts"

/** Findings with a section of their own, without --all; high findings always have one, the others are listed. */
const mostSections = 20
/** With more sections there is a table of contents. */
const mostWithoutContents = 10

/** Blocks are separated by an empty line. */
type Block = ReadonlyArray<string>

export const renderMarkdown = (review: Presentable, context: RenderContext): string => {
  const { result } = review
  const limits = limitsOf(context)
  const findings = [...result.findings].sort(byImportance)
  const opening: ReadonlyArray<Block> = [
    ["## dd review"],
    [`**${markdownText(headlineOf(result))}**`],
    [`Review of ${words(result.run.description)}.`],
    ...result.notes.slice(0, limits.notes).map((note) => [words(note)]),
    ...(result.notes.length <= limits.notes
      ? []
      : [[`${plural(result.notes.length - limits.notes, "more note")}, ${named}`]])
  ]
  const closing = [
    ...nextSteps(findings),
    ...fixes(result, context),
    ...brief(result.brief, context),
    ...unread(result, limits),
    ...degraded(result, limits),
    ...skipped(result, limits),
    ...suppressed(result, context),
    ...dropped(result, limits)
  ]
  const room = (context.mostCharacters ?? Number.POSITIVE_INFINITY) - sizeOf(opening) - sizeOf(closing) - listMargin
  // The most important ones are first.
  const candidates = findings.filter(({ severity }, at) => context.all || at < mostSections || severity === "high")
  const hasContents = candidates.length > mostWithoutContents
  const sections = fitting(candidates, room, (finding, index) => ({
    entry: hasContents ? contentsEntry(finding, index + 1, context) : "",
    blocks: [
      ...(hasContents ? [[`<a name="${anchorOf(index + 1)}"></a>`]] : []),
      ...findingBlocks(finding, index + 1, review, context)
    ]
  }))
  const left = findings.slice(sections.length)
  const below = left.length === 0 ? [] : [[`${plural(left.length, "more finding")} below, without a section.`]]
  const contents = hasContents ? [["**Contents**"], sections.map(({ entry }) => entry), ...below] : []
  const taken = sections.reduce((sum, { blocks, entry }) => sum + sizeOf(blocks) + entry.length + 1, 0)
  const others = foldedBlocks(
    plural(left.length, "more finding"),
    left.length === 0
      ? []
      : [
          list(left, (finding) => findingLine(finding, context), {
            items: left.length,
            characters: room - taken + listMargin
          })
        ]
  )
  return `${joined([...opening, ...contents, ...sections.flatMap(({ blocks }) => blocks), ...others, ...closing])}\n`
}

/** Of a list, in items and characters; of notes, and of the paths that have the same reason. */
interface Limits {
  readonly items: number
  readonly characters: number
  readonly notes: number
  readonly paths: number
}

const limitsOf = ({ mostCharacters = Number.POSITIVE_INFINITY }: RenderContext): Limits =>
  mostCharacters === Number.POSITIVE_INFINITY ? unlimited : { items: 50, characters: 6_000, notes: 10, paths: 10 }

const unlimited: Limits = {
  items: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
  notes: Number.POSITIVE_INFINITY,
  paths: Number.POSITIVE_INFINITY
}

/** Where a limited page leaves something out. */
const named = "named in the file of `--output markdown=FILE`"

/** Room for the first findings of a list, and for what stands around it. */
const listMargin = 2_000
const longestWords = 200
const longestParagraph = 2_000

/** Of a title in the table of contents. */
const longestEntry = 80
/** Of an explanation, in characters; the rest is folded. */
const longestVisible = 600
/** Of code, in lines; longer code is folded. */
const mostLines = 12
const longestLine = 160
const longestMarked = 80
const mostPlaces = 10

const span = (text: string): string => codeSpan(cut(text, longestWords))
const words = (text: string): string => markdownText(cut(text, longestWords))
const paragraph = (text: string): string => markdownText(cut(text, longestParagraph))
/** A claim before a colon. */
const claim = (text: string): string => words(text.replace(/\.$/, ""))

const joined = (blocks: ReadonlyArray<Block>): string => blocks.map((block) => block.join("\n")).join("\n\n")
const sizeOf = (blocks: ReadonlyArray<Block>): number => joined(blocks).length + 2

/** The blocks of a finding, and its line in the table of contents. */
interface Section {
  readonly entry: string
  readonly blocks: ReadonlyArray<Block>
}

/** As many sections, from the first, as fit. */
const fitting = <A>(
  items: ReadonlyArray<A>,
  room: number,
  sectionOf: (item: A, index: number) => Section
): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  let left = room
  for (const [index, item] of items.entries()) {
    const section = sectionOf(item, index)
    left -= sizeOf(section.blocks) + section.entry.length + 1
    if (left < 0) break
    sections.push(section)
  }
  return sections
}

// Comments on GitHub have no anchors at headings.
const anchorOf = (number: number): string => `dd-finding-${number}`

const contentsEntry = (finding: Finding, number: number, where: Where): string =>
  `${number}. ${sentence(finding.severity)}: [${markdownText(cut(finding.title, longestEntry))}](#${anchorOf(number)}) ${link(finding, where)}`

type Place = Pick<Finding, "file" | "line">

type Where = Pick<RenderContext, "files">

const link = (place: Place, { files }: Where): string =>
  fileLink(cut(placeOf(place), longestWords), place.file, place.line, files)

const findingBlocks = (
  finding: Finding,
  number: number,
  { code }: Presentable,
  context: RenderContext
): ReadonlyArray<Block> => {
  const source = finding.line === 0 ? undefined : code(finding.file)
  const address = documentation(context.rule(finding.rule))
  const rule = address === undefined ? span(finding.rule) : `[${span(finding.rule)}](<${address}>)`
  const diff = source === undefined ? [] : diffLines(finding, source)
  const fix = fixOf(finding, context)
  // A fix of several lines is usually code.
  const isCode = fix?.includes("\n") === true
  const suggested = isCode ? fix.split("\n") : suggestedLines(finding, context)
  return [
    [`### ${number}. ${sentence(finding.severity)}: ${words(finding.title)}`],
    [[link(finding, context), rule, ...reservationsOf(finding)].join(" · ")],
    ...why(finding, context),
    ...(source === undefined || diff.length > 0 ? [] : codeOf(finding, source)),
    ...places(finding, code, context),
    ...(fix === undefined ? [] : [[isCode ? "**Fix:**" : `**Fix:** ${paragraph(fix)}`]]),
    ...(diff.length > 0
      ? [codeBlock(diff, "diff")]
      : longCode("Suggested code", suggested.map(visibleCode), fenceLanguage(finding.file)))
  ]
}

/** The first paragraph is visible, and more of them if they are short. */
const why = (finding: Finding, context: RenderContext): ReadonlyArray<Block> => {
  const paragraphs = whyBesidePlaces(finding, context).flatMap((why) => cut(why, longestParagraph).split(/\n{2,}/))
  const isVisible = (index: number) => index === 0 || paragraphs.slice(0, index + 1).join("").length <= longestVisible
  const blocks = paragraphs.map((each) => [markdownText(each)])
  return [
    ...blocks.filter((_, index) => isVisible(index)),
    ...foldedBlocks(
      "More about this finding",
      blocks.filter((_, index) => !isVisible(index))
    )
  ]
}

/** The lines of the finding. Of a long first line, the part at its column. */
const codeOf = (finding: Finding, source: ShownCode): ReadonlyArray<Block> => {
  const column = finding.column === null ? null : source.column(finding.line, finding.column)
  const lines = source.lines.slice(finding.line - 1, Math.max(finding.line, finding.endLine))
  if (lines.every((line) => line.trim() === "")) return []
  const shown = lines.map((line, index) => (index === 0 ? partAt(line, column ?? 1) : line))
  return longCode("Code", withoutIndent(shown), fenceLanguage(finding.file))
}

const partAt = (line: string, column: number): string => {
  const from = line.length <= longestLine ? 0 : Math.max(0, column - longestLine / 2)
  return `${from === 0 ? "" : "…"}${line.slice(from)}`.toWellFormed()
}

/** Folded if it is long. */
const longCode = (title: string, lines: ReadonlyArray<string>, language: string | undefined): ReadonlyArray<Block> => {
  if (lines.length === 0) return []
  const text = cut(lines.map((line) => cut(line, longestLine)).join("\n"), longestParagraph)
  const block = codeBlock(text.split("\n"), language)
  return lines.length <= mostLines ? [block] : foldedBlocks(`${title} (${plural(lines.length, "line")})`, [block])
}

const diffLines = (finding: Finding, source: ShownCode): ReadonlyArray<string> => {
  const { added, removed } = replacedLines(finding, source.lines) ?? { added: [], removed: [] }
  if (added.length + removed.length > mostLines) return []
  const lines = withoutIndent([...removed, ...added])
  const [before, after] = cutAtDifferences(lines.slice(0, removed.length), lines.slice(removed.length), longestLine)
  return [...before.map((line) => `- ${line}`.trimEnd()), ...after.map((line) => `+ ${line}`.trimEnd())]
}

/** What is at the columns of the finding, and at the other places that it speaks of. */
const places = (finding: Finding, code: Presentable["code"], context: RenderContext): ReadonlyArray<Block> => {
  const own = finding.label === null ? [] : [ownPlace(finding.label, markedIn(finding, code))]
  const each = finding.related.map((place) => {
    const line = place.deleted ?? (place.line === 0 ? "" : (code(place.file)?.lines[place.line - 1]?.trim() ?? ""))
    // A link would lead to the line that is there now.
    const at = place.deleted === undefined ? link(place, context) : `${span(placeOf(place))} before the change`
    return `${at} ${beforeColon(line.length > longestMarked ? "" : line)}${words(place.message)}`
  })
  // Places of one line read the same.
  const others = [...Map.groupBy(each, (line) => line)].map(([line, same]) => `${line}${timesWords(same.length)}`)
  if (others.length === 0) return own.map((line) => [line])
  const left = others.slice(mostPlaces)
  return [
    list([...own, ...others.slice(0, mostPlaces)], (line) => line, limitsOf(context)),
    ...foldedBlocks(
      plural(left.length, "more place"),
      left.length === 0 ? [] : [list(left, (line) => line, limitsOf(context))]
    )
  ]
}

const ownPlace = (label: string, marked: string): string =>
  marked === "" ? words(sentence(label)) : beforeColon(marked) + words(label)

const beforeColon = (code: string): string => (code === "" ? "" : `${codeSpan(code)}: `)

/** The code between the columns; empty if it is long, or all of its line. */
const markedIn = ({ column, endColumn, endLine, file, line }: Finding, code: Presentable["code"]): string => {
  const source = code(file)
  if (source === undefined || column === null || endColumn === null || endLine > line) return ""
  const from = source.column(line, column)
  const to = source.column(line, endColumn, "end")
  if (from === null || to === null) return ""
  const text = source.lines[line - 1] ?? ""
  const marked = text.slice(from - 1, to - 1).trim()
  return marked === text.trim() || marked.length > longestMarked ? "" : marked
}

const nextSteps = (findings: ReadonlyArray<Finding>): ReadonlyArray<Block> => {
  const hint = suppressionHint(findings)
  if (hint === null) return []
  const [how, text] = hint
  return [[`<sub>To learn more about a rule: \`dd explain RULE\`. ${how} ${span(text)}</sub>`]]
}

const findingLine = (finding: Finding, where: Where): string =>
  `${finding.severity} ${link(finding, where)} ${words(finding.title)} (${span(finding.rule)})`

/** The same facts as in the text report, folded. */
const brief = (facts: Brief | null, context: RenderContext): ReadonlyArray<Block> => {
  const { brief: extent = "short" } = context
  const lines = facts === null || extent === null ? [] : briefFacts(facts, extent, context)
  return folded("What the change does", lines, (line) => line, limitsOf(context))
}

const briefFacts = (facts: Brief, extent: BriefExtent, where: Where): ReadonlyArray<string> =>
  briefSections(facts, extent).flatMap(({ label, lines }) =>
    lines.map(
      ({ command, place, text }) =>
        `**${label}:** ${command === true ? span(text) : words(text)}${place === null ? "" : ` ${link(place, where)}`}`
    )
  )

/** For `dd brief`: the facts without a report around them. */
export const renderBriefMarkdown = (facts: Brief, description: string, extent: BriefExtent, where: Where): string =>
  `${joined([["## dd brief"], [`Brief of ${words(description)}.`], list(briefFacts(facts, extent, where), (line) => line, unlimited)])}\n`

const unread = ({ coverage }: ReviewResult, limits: Limits): ReadonlyArray<Block> => {
  const files = coverage.files.filter((file) => file.status === "unread")
  if (files.length === 0) return []
  return [[`**Not reviewed (${plural(files.length, "file")})**`], list(byReason(files), reasonLine(limits), limits)]
}

const degraded = (result: ReviewResult, limits: Limits): ReadonlyArray<Block> => {
  if (result.degraded.length === 0) return []
  const steps = list(
    sameDegraded(result.degraded),
    ({ count, steps, words: detail }) =>
      `${[...new Set(steps.map(failedStepInWords))].map(words).join(", ")}: ${words(detail)}${timesWords(count)}`,
    limits
  )
  return [["**Incomplete steps**"], steps]
}

const skipped = ({ coverage }: ReviewResult, limits: Limits): ReadonlyArray<Block> => {
  const files = coverage.files.filter((file) => file.status === "skipped")
  return folded(`${plural(files.length, "file")} skipped`, byReason(files), reasonLine(limits), limits)
}

const fixes = (result: ReviewResult, context: RenderContext): ReadonlyArray<Block> => {
  const made = [fixLines(result, context), feedbackLines(result, context)].filter((each) => each !== null)
  return made.map(({ lines, title }) => [`**${words(title)}**`, "", ...lines.map((line) => `- ${words(line)}`)])
}

const suppressed = (result: ReviewResult, context: RenderContext): ReadonlyArray<Block> =>
  folded(
    `${plural(result.suppressed.length, "finding")} suppressed`,
    result.suppressed,
    ({ addedByChange, by, finding, reason }) => {
      const origin = addedByChange ? `${span(by)}, **added by this change**` : span(by)
      return `${finding.id}: ${link(finding, context)} ${span(finding.rule)}, by ${origin}: ${words(reason === "" ? "no reason given" : reason)}`
    },
    limitsOf(context)
  )

const dropped = (result: ReviewResult, limits: Limits): ReadonlyArray<Block> =>
  folded(
    `${plural(result.dropped.length, "claim")} dropped by the evidence check or the arbiter`,
    result.dropped,
    ({ reason, record }) => `${span(placeOf(record))} ${claim(record.title ?? record.description)}: ${words(reason)}`,
    limits
  )

// Markdown inside HTML needs empty lines around it.
const folded = <A>(
  title: string,
  items: ReadonlyArray<A>,
  show: (item: A) => string,
  limits: ListLimits
): ReadonlyArray<Block> => foldedBlocks(title, items.length === 0 ? [] : [list(items, show, limits)])

const foldedBlocks = (title: string, blocks: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  blocks.length === 0 ? [] : [[`<details><summary>${title}</summary>`], ...blocks, ["</details>"]]

type ListLimits = Pick<Limits, "items" | "characters">

const list = <A>(items: ReadonlyArray<A>, show: (item: A) => string, limits: ListLimits): Block => {
  const lines: Array<string> = []
  let size = 0
  for (const item of items.slice(0, limits.items)) {
    const line = `- ${show(item).replaceAll("\n", " ")}`
    size += line.length + 1
    if (size > limits.characters - 300) break
    lines.push(line)
  }
  const left = items.length - lines.length
  return left === 0 ? lines : [...lines, `- and ${left} more, ${named}`]
}

const reasonLine =
  (limits: Limits) =>
  ({ reason, paths }: Reason): string =>
    `${words(reason === "" ? "no reason given" : reason)}: ${someOf(paths.map(span), limits.paths)}`

const sentence = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
