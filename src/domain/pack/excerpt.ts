/** Parts of a file: the definitions around or about something, or only the headers of all, with line numbers. */
import type { Definition } from "../code/Symbol.ts"

/** From 1, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

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
  lines.flatMap((line): ReadonlyArray<LineRange> => {
    const enclosing = definitions
      .filter((each) => each.line <= line && line <= each.endLine)
      .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))
    const [smallest, ...outer] = enclosing
    const headers = outer.map((each) => ({ first: each.line, last: each.line }))
    const isShown = smallest !== undefined && smallest.endLine - smallest.line < largestShown
    const near = isShown
      ? { first: smallest.line, last: smallest.endLine }
      : { first: line - around, last: line + around }
    if (smallest !== undefined && !isShown) headers.push({ first: smallest.line, last: smallest.line })
    return [...headers, near]
  })
