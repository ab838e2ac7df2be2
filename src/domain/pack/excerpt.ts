/** Parts of a file: the definitions around or about something, or only the headers of all, with line numbers. */
import type { Definition } from "../code/Symbol.ts"

/** From 1, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** Lines that are shown together or not at all. */
export type Part = ReadonlyArray<LineRange>

/** The lines of these ranges with their numbers; a line of dots for what is left out. */
export const excerpt = (lines: ReadonlyArray<string>, ranges: ReadonlyArray<LineRange>): string => {
  const width = String(lines.length).length
  const shown: Array<string> = []
  let next = 1
  for (const { first, last } of joined(ranges, lines.length)) {
    if (first > next) shown.push("...")
    for (let line = first; line <= last; line++) shown.push(`${String(line).padStart(width)}  ${lines[line - 1]}`)
    next = last + 1
  }
  if (next <= lines.length) shown.push("...")
  return `${shown.join("\n")}\n`
}

/** In order, without overlaps; a gap of one or two lines is closed. */
const joined = (ranges: ReadonlyArray<LineRange>, length: number): ReadonlyArray<LineRange> => {
  const sorted = ranges
    .map(({ first, last }) => ({ first: Math.max(1, first), last: Math.min(length, last) }))
    .filter(({ first, last }) => first <= last)
    .sort((a, b) => a.first - b.first || a.last - b.last)
  const answer: Array<{ first: number; last: number }> = []
  for (const range of sorted) {
    const before = answer.at(-1)
    if (before !== undefined && range.first <= before.last + 3) before.last = Math.max(before.last, range.last)
    else answer.push({ ...range })
  }
  return answer
}

/** Lines of a header that continues: parameters on lines of their own. */
const longestHeader = 12

/** The headers of all definitions. */
export const outlineRanges = (
  lines: ReadonlyArray<string>,
  definitions: ReadonlyArray<Definition>
): ReadonlyArray<LineRange> =>
  definitions.map(({ endLine, line }) => {
    let last = line
    let depth = openBrackets(lines[line - 1] ?? "")
    while (depth > 0 && last < endLine && last - line < longestHeader) depth += openBrackets(lines[last++] ?? "")
    return { first: line, last }
  })

/** More brackets of parameters opened than closed. */
const openBrackets = (line: string): number => (line.match(/[([]/g) ?? []).length - (line.match(/[)\]]/g) ?? []).length

/** A larger definition is shown by the lines around the place alone. */
const largestShown = 120
const around = 20

/** For each line, the smallest definition around it with the headers of those around that; without one, lines near it. */
export const enclosingRanges = (
  lines: ReadonlyArray<number>,
  definitions: ReadonlyArray<Definition>
): ReadonlyArray<LineRange> =>
  lines.flatMap((line) => {
    const { headers, near } = placeIn(line, definitions, largestShown)
    return [...headers, near]
  })

/** What to show around changed lines in ascending order. The ranges of one part are shown together or not at all. */
export const partsAround = (
  lines: ReadonlyArray<number>,
  definitions: ReadonlyArray<Definition>
): { readonly usual: ReadonlyArray<Part>; readonly long: ReadonlyArray<Part> } => {
  const parts = (largest: number) => {
    const found: Array<Place> = []
    for (const line of lines) {
      const place = placeIn(line, definitions, largest)
      const before = found.at(-1)
      if (before === undefined || !isOnePart(before, place)) found.push(place)
      else found[found.length - 1] = { ...before, near: { first: before.near.first, last: place.near.last } }
    }
    return found
  }
  const rangesOf = ({ headers, near }: Omit<Place, "isWhole">): Part => [...headers, near]
  return {
    usual: parts(largestShown).map(rangesOf),
    long: parts(Number.POSITIVE_INFINITY).flatMap((each) =>
      each.isWhole && each.near.last - each.near.first >= largestShown ? [rangesOf(each)] : []
    )
  }
}

interface Place {
  /** Of the definitions around. */
  readonly headers: ReadonlyArray<LineRange>
  readonly near: LineRange
  /** Is `near` a definition? */
  readonly isWhole: boolean
}

const isOnePart = (before: Place, { isWhole, near }: Place): boolean =>
  before.isWhole === isWhole &&
  (isWhole ? near.first === before.near.first && near.last === before.near.last : near.first <= before.near.last + 1)

const placeIn = (line: number, definitions: ReadonlyArray<Definition>, largest: number): Place => {
  const enclosing = definitions
    .filter((each) => each.line <= line && line <= each.endLine)
    .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))
  const [smallest, ...outer] = enclosing
  const headers = outer.map((each) => ({ first: each.line, last: each.line }))
  const isWhole = smallest !== undefined && smallest.endLine - smallest.line < largest
  if (smallest !== undefined && !isWhole) headers.push({ first: smallest.line, last: smallest.line })
  const near = isWhole
    ? { first: smallest.line, last: smallest.endLine }
    : { first: line - around, last: line + around }
  return { headers, near, isWhole }
}
