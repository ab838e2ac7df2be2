/**
 * A review result without control characters, hidden text and credentials.
 *
 * Renderers accept nothing else, and it can only be made here, so no format can omit it. Paths are not masked, because a
 * masked path cannot be found. For people their control characters are visible; formats for programs have them as they are.
 */
import type { Token } from "../../../domain/code/Highlight.ts"
import type { ReviewResult, SourceLines } from "../../../domain/review/ReviewResult.ts"
import { oneLine, printable, visibleCode, visiblePath } from "../../../domain/text/Printable.ts"
import { maskedParts } from "./maskedParts.ts"
import type { Code } from "./Snippet.ts"

/** Replaces credentials by markers; preserves the number of lines. */
export type Mask = (text: string) => string

export class Presentable {
  /** For people. */
  readonly result: ReviewResult
  /** For programs: with exact paths. */
  readonly exact: () => ReviewResult
  /** A file after the change by its shown path, masked; undefined if unknown. */
  readonly code: (path: string) => ShownCode | undefined
  /** The column in UTF-8 bytes by the exact path, from 1; undefined if the line is unknown. */
  readonly byteColumn: (path: string, line: number, column: number) => number | undefined

  private constructor(
    result: ReviewResult,
    exact: () => ReviewResult,
    { byteColumn, code }: { readonly code: Presentable["code"]; readonly byteColumn: Presentable["byteColumn"] }
  ) {
    this.result = result
    this.exact = exact
    this.code = code
    this.byteColumn = byteColumn
  }

  /** `tokens`: of the files of `sources`, for highlighting. */
  static of(result: ReviewResult, sources: SourceLines, mask: Mask, tokens: SourceTokens = new Map()): Presentable {
    const words = wordsFor(mask)
    const sourceOf = byShownPath(sources)
    const tokensOf = byShownPath(tokens)
    const shown = new Map<string, ShownCode | undefined>()
    const code = (path: string) => {
      if (!shown.has(path)) shown.set(path, shownCode(sourceOf.get(path), tokensOf.get(path) ?? [], mask))
      return shown.get(path)
    }
    const byteColumn = (path: string, line: number, column: number) => {
      const text = sources.get(path)?.[line - 1]
      return text === undefined ? undefined : utf8.encode(text.slice(0, column - 1)).length + 1
    }
    const exact = () => presented(result, treatmentsOf(words, exactPath), words)
    return new Presentable(presented(result, treatmentsOf(words), words), exact, { byteColumn, code })
  }
}

const utf8 = new TextEncoder()

export interface ShownCode extends Code {
  /** The column of the shown line for a column of the file. Inside of what is masked: where the markers begin, or end. */
  readonly column: (line: number, column: number, side?: "start" | "end") => number | null
  /** The columns of the markers in the shown line. */
  readonly masked: (line: number) => ReadonlyArray<{ readonly column: number; readonly endColumn: number }>
}

export type SourceTokens = ReadonlyMap<string, ReadonlyArray<Token>>

export interface Words {
  readonly line: (text: string) => string
  readonly prose: (text: string) => string
}

// Masked before and after escape sequences are removed: one before a credential is a word boundary, and one inside a
// credential hides it from the mask.
export const wordsFor = (mask: Mask): Words => ({
  line: (text) => oneLine(mask(oneLine(mask(text)))),
  prose: (text) => printable(mask(printable(mask(text))))
})

const presented = (result: ReviewResult, treatments: Treatments, words: Words): ReviewResult => ({
  ...shown(result, treatments),
  run: shown(result.run, { ...treatments, description: words.line })
})

type Treatments = Readonly<Record<string, (text: string) => string | null>>

export const exactPath = (path: string): string => path

/** How a text is treated, by its key or those of it and what holds it. Every other text is made one line and not masked. */
export const treatmentsOf = ({ line, prose }: Words, path: (path: string) => string = visiblePath): Treatments => ({
  title: (text) => orPlaceholder(line(text)),
  description: (text) => orPlaceholder(prose(text)),
  rationale: prose,
  evidence: prose,
  label: line,
  message: (text) => orPlaceholder(line(text)),
  deleted: line,
  quote: prose,
  // A changed suggestion is not the fix any more, and programs apply it.
  suggestion: (text) => (prose(text) === text ? text : null),
  file: path,
  path,
  files: path,
  broken: path,
  outside: path,
  with: path,
  of: path,
  "movedFiles.from": path,
  "movedFiles.to": path,
  before: line,
  after: line,
  name: line,
  subject: line,
  commands: line,
  command: line,
  from: line,
  failing: line,
  output: prose,
  reason: line,
  detail: line,
  unchecked: line,
  notes: line
})

/** A copy of the value in which every text, at any depth, is treated. */
export const shown = <A>(value: A, treatments: Treatments): A => {
  const walk = (part: unknown, treat: (text: string) => string | null, holder: string): unknown => {
    if (typeof part === "string") return treat(part)
    if (Array.isArray(part)) return part.map((item) => walk(item, treat, holder))
    if (typeof part !== "object" || part === null || part instanceof Map) return part
    const treatmentOf = (key: string) => treatments[`${holder}.${key}`] ?? treatments[key] ?? oneLine
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, walk(each, treatmentOf(key), key)]))
  }
  return walk(value, oneLine, "") as A
}

/** A text that consists only of control characters becomes a placeholder. */
const orPlaceholder = (text: string): string => (text.trim() === "" ? "(no readable text)" : text)

const byShownPath = <A>(sources: ReadonlyMap<string, A>): ReadonlyMap<string, A> =>
  new Map([...sources].map(([path, source]) => [visiblePath(path), source]))

const shownCode = (
  lines: ReadonlyArray<string> | undefined,
  tokens: ReadonlyArray<Token>,
  mask: Mask
): ShownCode | undefined => {
  if (lines === undefined) return undefined
  // The complete file at once, for keys that span lines.
  const masked = lines.length === 0 ? [] : mask(lines.join("\n")).split("\n")
  // If the mask removed lines, line numbers would be wrong.
  if (masked.length !== lines.length) return undefined
  const column: ShownCode["column"] = (line, at, side = "start") => {
    const [raw, shown] = [lines[line - 1], masked[line - 1]]
    if (raw === undefined || shown === undefined) return null
    const unit = Math.min(at - 1, raw.length)
    const parts = maskedParts(raw, shown)
    const inside = parts.find(({ from, to }) => from < unit && unit < to)
    const last = parts.findLast(({ to }) => to <= unit)
    const [from, shownFrom] = last === undefined ? [0, 0] : [last.to, last.shownTo]
    const inShown =
      inside === undefined ? shownFrom + unit - from : side === "start" ? inside.shownFrom : inside.shownTo
    return visibleCode(shown.slice(0, inShown)).length + 1
  }
  const maskedAt: ShownCode["masked"] = (line) => {
    const [raw, shown] = [lines[line - 1], masked[line - 1]]
    if (raw === undefined || shown === undefined) return []
    const columnAt = (unit: number) => visibleCode(shown.slice(0, unit)).length + 1
    return maskedParts(raw, shown).map(({ shownFrom, shownTo }) => ({
      column: columnAt(shownFrom),
      endColumn: columnAt(shownTo)
    }))
  }
  const shownTokens = tokens.flatMap((token) => {
    const start = column(token.line, token.column, "end")
    const end = column(token.line, token.endColumn)
    return start === null || end === null || end <= start ? [] : [{ ...token, column: start, endColumn: end }]
  })
  const byLine = Map.groupBy(shownTokens, ({ line }) => line)
  return { lines: masked.map(visibleCode), tokens: byLine, column, masked: maskedAt }
}
