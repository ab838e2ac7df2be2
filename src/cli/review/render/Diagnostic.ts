/**
 * A finding as compilers report it: severity, rule and claim in one line, the code with carets, every other place that it speaks of, why
 * it matters and how to fix it.
 */
import type { Finding, RelatedPlace } from "../../../domain/finding/Finding.ts"
import { visibleCode } from "../../../domain/text/Printable.ts"
import { plural } from "../../../domain/text/plural.ts"
import type { Ink } from "../../text/Ink.ts"
import { columns, cut, wrapAtMost } from "../../text/Page.ts"
import { fixOf, placeOf, replacedLines, reservationsOf, suggestedLines, whyBesidePlaces } from "./Explanation.ts"
import type { Presentable } from "./Presentable.ts"
import type { RenderContext } from "./RenderContext.ts"
import { codeRoom, cutAtDifferences, deletedRows, type Frame, type Mark, snippet } from "./Snippet.ts"

export interface Page {
  readonly context: RenderContext
  readonly code: Presentable["code"]
  readonly ink: Ink
  readonly width: number
}

type Rows = ReadonlyArray<string>

const mostTitleLines = 6
const shortestWord = 8
const mostProseLines = 8
const mostProseCharacters = 800
const mostFixLines = 12
const longestCopied = 200
const mostPlaces = 5

export const diagnosticRows = (finding: Finding, page: Page): Rows => {
  const { context, ink, width } = page
  const frame = frameFor(finding, page)
  const notes = whyBesidePlaces(finding, context).flatMap((why) => noteRows("note", why, frame, page))
  const margin = `${" ".repeat(frame.digits)} ${ink.frame("|")}`
  return [
    ...titleRows(finding, ink, width),
    ...codeRows(finding, page, frame),
    ...notes,
    ...helpRows(finding, page, frame, margin)
  ]
}

/** Severity, rule and claim. */
const titleRows = (finding: Finding, ink: Ink, width: number): Rows => {
  const mark = `${finding.severity}[${finding.rule}]`
  const coloured = ink.severity(finding.severity, mark)
  // A mark without room for a word beside it has a row of its own.
  if (mark.length + shortestWord > width) {
    return [coloured, ...wrapAtMost(finding.title, width, mostTitleLines).map(ink.bold)]
  }
  const [first = "", ...rest] = wrapAtMost(`${mark}: ${finding.title}`, width, mostTitleLines)
  return [coloured + ink.bold(first.slice(mark.length)), ...rest.map(ink.bold)]
}

const frameFor = (finding: Finding, { ink, width }: Pick<Page, "ink" | "width">): Frame => {
  // Two lines after the last one are shown.
  const last = Math.max(finding.endLine + 2, ...finding.related.map(({ line }) => line))
  return { ink, severity: finding.severity, width, digits: String(last).length }
}

/** Where the finding is, and its code; then the other places, by file. */
const codeRows = (finding: Finding, page: Page, frame: Frame): Rows => {
  const { code, context, ink } = page
  const pad = " ".repeat(frame.digits)
  const placed = ({
    column,
    ...place
  }: {
    readonly column: number | null
    readonly file: string
    readonly line: number
  }) => `${placeOf(place, context)}${column === null ? "" : `:${column}`}`
  const arrow = (place: Parameters<typeof placed>[0]) =>
    `${pad}${ink.frame("-->")} ${cut(placed(place), longestCopied)}`
  const details = `(${[`finding ${finding.id}`, ...reservationsOf(finding)].join(", ")})`
  const shown = finding.related.slice(0, mostPlaces)
  const byFile = Map.groupBy(
    shown.filter(({ deleted }) => deleted === undefined),
    ({ file }) => file
  )
  const own = byFile.get(finding.file) ?? []
  const mark = finding.line === 0 ? null : markOf(finding, code)
  const source = code(finding.file)
  const otherMarkers = markersOf(finding, source)
    .slice(1)
    .map((marker): Mark => ({ line: finding.line, endLine: finding.line, ...marker, label: null }))
  const main =
    mark === null || source === undefined
      ? []
      : snippet(source, mark, [...otherMarkers, ...own.map((place) => markOfPlace(place, code))], frame)
  const elsewhere = [...byFile].flatMap(([file, places]) => {
    if (file === finding.file && main.length > 0) return []
    const source = code(file)
    const marks = places.map((place) => markOfPlace(place, code))
    const rows = source === undefined ? [] : snippet(source, null, marks, frame)
    return rows.length === 0 ? places.map((place) => `${arrow(place)}: ${place.message}`) : [arrow(places[0]!), ...rows]
  })
  const gone = shown.flatMap((place) =>
    place.deleted === undefined ? [] : [arrow(place), ...deletedRows(place.deleted, place, frame)]
  )
  const left = finding.related.slice(mostPlaces)
  const at = cut(placed(finding), longestCopied)
  const isNarrow = pad.length + 4 + columns(at) + 1 + details.length > page.width
  return [
    ...(isNarrow ? [arrow(finding), `${pad}    ${ink.dim(details)}`] : [`${arrow(finding)} ${ink.dim(details)}`]),
    ...main,
    ...gone,
    ...elsewhere,
    ...(left.length > 0 && context.here != null && !context.all
      ? [`${pad}${ink.frame("-->")} and ${plural(left.length, "more place")}`]
      : left.map(arrow))
  ]
}

const markOf = (finding: Finding, code: Presentable["code"]): Mark => {
  const { column, endColumn, file, label, line } = finding
  const source = code(file)
  const endLine = Math.max(line, finding.endLine)
  const lines = { line, endLine, label }
  const [marker] = markersOf(finding, source)
  if (marker !== undefined) return { ...lines, endLine: line, ...marker }
  return {
    ...lines,
    column: column === null ? null : (source?.column(line, column) ?? null),
    endColumn: endColumn === null ? null : (source?.column(endLine, endColumn, "end") ?? null)
  }
}

/** A password has no columns, because they would tell its length; those of its marker tell nothing. */
const markersOf = ({ column, line, rule }: Finding, source: ReturnType<Presentable["code"]>) =>
  column === null && rule.startsWith("secret/") ? (source?.masked(line) ?? []) : []

const markOfPlace = ({ column, endColumn, file, line, message }: RelatedPlace, code: Presentable["code"]): Mark => ({
  line,
  endLine: line,
  column: column === null ? null : (code(file)?.column(line, column) ?? null),
  endColumn: endColumn === null ? null : (code(file)?.column(line, endColumn, "end") ?? null),
  label: message
})

/** `= note: ...`, with the following rows below the first word. */
const noteRows = (kind: string, text: string, { digits }: Frame, { context, ink, width }: Page): Rows => {
  const before = `${" ".repeat(digits)} ${ink.frame("=")} ${ink.bold(`${kind}:`)} `
  const indent = digits + kind.length + 5
  const words = context.here?.prose(text) ?? text
  const room = width - indent
  const most = context.all ? Number.POSITIVE_INFINITY : Math.max(mostProseLines, mostProseCharacters / room)
  const rows = wrapAtMost(words, room, Math.ceil(most))
  return rows.map((row, index) => (index === 0 ? before : row === "" ? "" : " ".repeat(indent)) + row)
}

const helpRows = (finding: Finding, page: Page, frame: Frame, margin: string): Rows => {
  const { context } = page
  const fix = fixOf(finding, context)
  const suggested = suggestedLines(finding, context)
  const diff = diffRows(finding, page, frame)
  // A fix of several lines is usually code: it keeps its indentation.
  const isCode = fix?.includes("\n") === true
  const help = fix === undefined ? [] : noteRows("help", isCode ? "the code could be" : fix, frame, page)
  if (diff.length > 0) return [...help, margin, ...diff]
  const lines = isCode ? fix.split("\n") : suggested
  return [
    ...help,
    ...lines
      .slice(0, mostFixLines)
      .map((line) => `${margin}   ${cut(visibleCode(line), codeRoom(frame) - 2)}`.trimEnd()),
    ...(lines.length > mostFixLines ? [`${margin}   …`] : [])
  ]
}

/** The lines that a certain replacement changes, before and after. */
const diffRows = (finding: Finding, { code, ink }: Page, frame: Frame): Rows => {
  const { digits } = frame
  const source = code(finding.file)
  const replaced = source === undefined ? null : replacedLines(finding, source.lines)
  if (replaced === null) return []
  const { added, line, removed } = replaced
  if (removed.length + added.length > mostFixLines) return []
  const [before, after] = cutAtDifferences(removed, added, codeRoom(frame))
  const row = (sign: string, paint: (text: string) => string) => (text: string, at: number) =>
    `${ink.frame(String(line + at).padStart(digits))} ${paint(`${sign} ${text}`.trimEnd())}`
  return [...before.map(row("-", ink.deleted)), ...after.map(row("+", ink.added))]
}
