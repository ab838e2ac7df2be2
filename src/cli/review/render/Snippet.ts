/**
 * Code as compilers show it: numbered lines, carets under the marked columns, and a label beside them.
 *
 * ```
 *   |
 * 3 | def add(item, cart=[]):
 *   |               ^^^^^^^ created once, when `def` is executed
 *   |
 * ```
 */
import type { Token } from "../../../domain/code/Highlight.ts"
import type { RelatedPlace, Severity } from "../../../domain/finding/Finding.ts"
import { visibleCode } from "../../../domain/text/Printable.ts"
import type { Ink } from "../../text/Ink.ts"
import { columns, cut, wrap } from "../../text/Page.ts"

/** A range of code and what is written beside it. Columns are UTF-16 units of the shown line, from 1; the end is exclusive. */
export interface Mark {
  readonly line: number
  readonly endLine: number
  /** Null: from the first visible character of the line. */
  readonly column: number | null
  /** Null: to the last visible character of the last line. */
  readonly endColumn: number | null
  readonly label: string | null
}

export interface Code {
  readonly lines: ReadonlyArray<string>
  /** By line number; in order, without overlaps. */
  readonly tokens: ReadonlyMap<number, ReadonlyArray<Token>>
}

export interface Frame {
  readonly ink: Ink
  readonly severity: Severity
  readonly width: number
  /** The width of line numbers: the same in all snippets of a finding. */
  readonly digits: number
}

/** Lines shown on each side of the main mark. */
const around = 2
/** Of a longer mark, the first lines and the last one are shown. */
const mostMarked = 6

/**
 * The rows for `main`, the place of the finding (null: the snippet shows only other places), and for other places in the same file.
 * Empty if the file has no such line. Long lines are cut on both sides, so that the first mark is visible.
 */
export const snippet = (code: Code, main: Mark | null, others: ReadonlyArray<Mark>, frame: Frame): Rows => {
  const spans = [...(main === null ? [] : [main]), ...others].flatMap((mark) => spanOf(mark, code.lines) ?? [])
  const [first] = spans
  if (first === undefined) return []
  const { digits, ink, severity, width } = frame
  const block = spans.find(({ from, to }) => to.line > from.line)
  const rail = block === undefined ? 0 : 2
  const room = codeRoom(frame) - rail
  const margin = `${" ".repeat(digits)} ${ink.frame("|")}`
  const rows: Array<string> = [margin]
  let last = 0
  for (const number of shownLines(spans, main !== null, code.lines)) {
    if (last > 0 && number > last + 1) rows.push(ink.frame("..."))
    last = number
    const line = code.lines[number - 1] ?? ""
    const view = viewOf(line, shiftAt(number, spans, code.lines, room), room)
    const isMain = (span: Span) => main !== null && span === first
    const paint = (span: Span) => (text: string) => (isMain(span) ? ink.severity(severity, text) : ink.frame(text))
    const edge = rail === 0 ? "" : `${edgeAt(number, block, code.lines, paint)} `
    const text = `${view.cutLeft ? "…" : ""}${painted(line, view, code.tokens.get(number) ?? [], ink)}${view.cutRight ? "…" : ""}`
    rows.push(`${ink.frame(`${String(number).padStart(digits)} |`)} ${edge}${text}`.trimEnd())
    if (block?.from.line === number && beginsInside(block, code.lines)) {
      const start = Math.min(columnIn(line, view, block.from.unit), room - 1)
      rows.push(`${margin} ${paint(block)(` ${"_".repeat(start + rail - 1)}${isMain(block) ? "^" : "-"}`)}`)
    }
    for (const span of spans.filter(({ to }) => to.line === number)) {
      const end = columnIn(line, view, span.to.unit)
      const start = span === block ? 0 : Math.min(columnIn(line, view, span.from.unit), room - 1)
      const wide = Math.max(1, Math.min(end, room) - start)
      const sign = isMain(span) ? "^" : "-"
      const rule = span === block ? `|${"_".repeat(wide)}${sign}` : sign.repeat(wide)
      const before = span === block ? 0 : start + rail
      rows.push(
        ...labelled(rule, before, span.label, width - digits - 3).map(
          (row) => `${margin} ${row.replace(/\S.*/, paint(span))}`
        )
      )
    }
  }
  return [...rows, margin]
}

/** A line that is no longer in the file, without a number. */
export const deletedRows = (line: string, { column, endColumn, message }: RelatedPlace, frame: Frame): Rows => {
  const { digits, ink, width } = frame
  const room = codeRoom(frame)
  const indent = line.length - line.trimStart().length
  const visible = (end: number) => visibleCode(line.slice(indent, end)).trimEnd()
  const text = cut(visible(line.length), room)
  const start = column === null ? 0 : Math.min(columns(visibleCode(line.slice(indent, column - 1))), room - 1)
  const end = Math.min(columns(endColumn === null ? text : visible(endColumn - 1)), columns(text))
  const pad = " ".repeat(digits)
  const margin = `${pad} ${ink.frame("|")}`
  const marks = labelled("-".repeat(Math.max(1, end - start)), start, message, width - digits - 3)
  const shown = `${pad} ${ink.deleted(`- ${text}`)}`
  return [margin, shown, ...marks.map((row) => `${margin} ${ink.frame(row)}`), margin]
}

/** The columns of a line of code. A line may be a whole minified file, so there is a limit also if nothing else breaks. */
export const codeRoom = ({ digits, width }: Pick<Frame, "digits" | "width">): number =>
  Math.max(20, Math.min(width, widestCode) - digits - 3)

const widestCode = 140

type Rows = ReadonlyArray<string>

/** A mark in units of the shown lines, from 0. */
interface Span {
  readonly from: { readonly line: number; readonly unit: number }
  readonly to: { readonly line: number; readonly unit: number }
  readonly label: string | null
}

const spanOf = ({ column, endColumn, endLine, label, line }: Mark, lines: Rows): Span | null => {
  const first = lines[line - 1]
  const lastLine = Math.min(Math.max(line, endLine), lines.length)
  const last = lines[lastLine - 1]
  if (first === undefined || last === undefined) return null
  const from = column === null ? first.length - first.trimStart().length : Math.min(column - 1, first.length)
  const to = endColumn === null || lastLine < endLine ? last.trimEnd().length : Math.min(endColumn - 1, last.length)
  return { from: { line, unit: from }, to: { line: lastLine, unit: to }, label }
}

const shownLines = (spans: ReadonlyArray<Span>, hasMain: boolean, lines: Rows): ReadonlyArray<number> => {
  const shown = new Set<number>()
  for (const [index, { from, to }] of spans.entries()) {
    const beside = hasMain && index === 0 ? around : 0
    for (let at = Math.max(1, from.line - beside); at <= Math.min(lines.length, to.line + beside); at++) {
      if (at < from.line + mostMarked - 1 || at >= to.line) shown.add(at)
    }
  }
  // A gap of one line takes as much room as the line.
  for (const at of [...shown]) if (!shown.has(at + 1) && shown.has(at + 2)) shown.add(at + 1)
  const isMarked = (at: number) => spans.some(({ from, to }) => at >= from.line && at <= to.line)
  const sorted = [...shown].sort((a, b) => a - b)
  const matters = (at: number) => isMarked(at) || lines[at - 1]!.trim() !== ""
  return sorted.slice(sorted.findIndex(matters), sorted.findLastIndex(matters) + 1)
}

/** A line beside the marked ones begins at its own start. */
const shiftAt = (line: number, spans: ReadonlyArray<Span>, lines: Rows, room: number): number => {
  const begun = spans.find(({ from }) => from.line === line)
  const ended = spans.find(({ to }) => to.line === line)
  if (begun !== undefined) return shiftFor(begun, lines, room)
  const last = ended === undefined ? 0 : Math.max(0, ended.to.unit - 1)
  return ended === undefined ? 0 : shiftFor({ ...ended, from: { line, unit: last } }, lines, room)
}

/** How many units of long lines are hidden on the left, so that the span is in the middle. */
const shiftFor = ({ from, to }: Span, lines: Rows, room: number): number => {
  const line = lines[from.line - 1] ?? ""
  const end = to.line === from.line ? to.unit : from.unit + 1
  if (columns(line.slice(0, end)) < room) return 0
  const wide = Math.min(end - from.unit, room - 2)
  return Math.max(0, from.unit - Math.floor((room - wide) / 2))
}

/** Removed and added lines, each cut beside its counterpart. */
export const cutAtDifferences = (removed: Rows, added: Rows, room: number): readonly [Rows, Rows] => [
  removed.map((line, at) => cutAtDifference(line, added[at] ?? "", room)[0]),
  added.map((line, at) => cutAtDifference(removed[at] ?? "", line, room)[1])
]

/** Lines that are versions of one line, each cut to `room` columns so that the first difference is visible. */
const cutAtDifference = (before: string, after: string, room: number): readonly [string, string] => {
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  const span = { from: { line: 1, unit: at }, to: { line: 1, unit: at + 1 }, label: null }
  const shift = shiftFor(
    span,
    [`${before.slice(0, at)}${before.length > after.length ? before.slice(at) : after.slice(at)}`],
    room
  )
  const shown = (line: string): string => {
    const { cutLeft, cutRight, from, to } = viewOf(line, shift, room)
    return `${cutLeft ? "…" : ""}${line.slice(from, to)}${cutRight ? "…" : ""}`
  }
  return [shown(before), shown(after)]
}

/** The visible part of a line, in units. A cut side has an ellipsis, which takes one column. */
interface View {
  readonly from: number
  readonly to: number
  readonly cutLeft: boolean
  readonly cutRight: boolean
}

const viewOf = (line: string, shift: number, room: number): View => {
  const cutLeft = shift > 0 && line.trim() !== ""
  const from = cutLeft ? Math.min(shift + 1, line.length) : Math.min(shift, line.length)
  let used = cutLeft ? 1 : 0
  let to = from
  for (const character of line.slice(from, from + room * 2)) {
    const wide = columns(character)
    if (used + wide > room) break
    used += wide
    to += character.length
  }
  if (to >= line.length) return { from, to: line.length, cutLeft, cutRight: false }
  while (to > from && used >= room) used -= columns(line.slice(--to, to + 1))
  return { from, to, cutLeft, cutRight: true }
}

const columnIn = (line: string, { cutLeft, from, to }: View, unit: number): number =>
  (cutLeft ? 1 : 0) + columns(line.slice(from, Math.max(from, Math.min(unit, to))))

const painted = (line: string, { from, to }: View, tokens: ReadonlyArray<Token>, ink: Ink): string => {
  let text = ""
  let at = from
  for (const { column, endColumn, kind } of tokens) {
    const start = Math.max(at, column - 1)
    const end = Math.min(to, endColumn - 1)
    if (end <= start) continue
    text += line.slice(at, start) + ink.token(kind, line.slice(start, end))
    at = end
  }
  return text + line.slice(at, to)
}

/** `/` beside the first line of a mark of several lines, `|` beside the others; a mark that begins inside its line has a row below it. */
const edgeAt = (
  number: number,
  block: Span | undefined,
  lines: Rows,
  paint: (span: Span) => (text: string) => string
): string => {
  if (block === undefined || number < block.from.line || number > block.to.line) return " "
  if (number > block.from.line) return paint(block)("|")
  return beginsInside(block, lines) ? " " : paint(block)("/")
}

const beginsInside = ({ from }: Span, lines: Rows): boolean =>
  (lines[from.line - 1] ?? "").slice(0, from.unit).trim() !== ""

/** The carets and the label: in the same row if there is room, otherwise below. */
const labelled = (rule: string, before: number, label: string | null, width: number): Rows => {
  const carets = " ".repeat(before) + rule
  if (label === null || label === "") return [carets]
  if (carets.length + 1 + columns(label) <= width) return [`${carets} ${label}`]
  const start = Math.max(0, Math.min(before, width - shortestLabel))
  return [carets, ...wrap(label, width - start).map((row) => " ".repeat(start) + row)]
}

const shortestLabel = 30
