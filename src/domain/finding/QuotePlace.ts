/**
 * Where a quote is in a file: its first line, nearest to the line that its reviewer gave.
 *
 * White space does not count, nor do lines that were joined or parted, the signs of a diff and line numbers in front, a
 * fence around, an ellipsis at the end, and what was redacted before the reviewer read it. Within `quoteReach` lines any
 * quote will do; further away only one that is unique, or too long to be a coincidence. A quote of deleted
 * lines is placed where they were. Total; linear in the file.
 */

/** A quote at most this many lines from its reported line is a miscount. */
export const quoteReach = 3

/** This many characters, white space aside, are not a coincidence. */
const tellingLength = 16
/** Less than this tells nothing at all. */
const leastLength = 4
const mostPlaces = 5_000

export interface QuotedText {
  /** Number of lines; null when only hunks are known. */
  readonly count: number | null
  /** Undefined for a line outside what is known. */
  readonly line: (number: number) => string | undefined
  /** The lines that are known where `count` is null, ascending. */
  readonly numbers?: ReadonlyArray<number>
  /** What the change deleted, in order, each with the line that is there now. */
  readonly deleted?: ReadonlyArray<{ readonly text: string; readonly at: number }>
}

/** Only within reach of the line; anywhere if `said` is 0. Enough for the quotes of rules. */
export const nearbyPlace = (quote: string, said: number, text: QuotedText): number | null => {
  const lines = quotedLines(quote)
  if (lines.length === 0) return null
  if (said === 0) {
    for (let line = 1; line <= (text.count ?? 0); line++) if (standsAt(lines, line, text)) return line
    return null
  }
  for (let distance = 0; distance <= quoteReach; distance++) {
    if (standsAt(lines, said + distance, text)) return said + distance
    if (standsAt(lines, said - distance, text)) return said - distance
  }
  return null
}

/** In the whole of what is known, in any of the ways a model may have written it down. */
export const placeOfQuote = (quote: string, said: number, text: QuotedText): number | null => {
  for (const written of writings(quote)) {
    const near = nearbyPlace(written, said, text)
    if (near !== null) return near
  }
  const present = knownNumbers(text).map((at) => ({ text: text.line(at) ?? "", at }))
  for (const written of writings(quote)) {
    const place = placeIn(written, said, present) ?? placeIn(written, said, text.deleted ?? [])
    if (place !== null) return place
  }
  return null
}

/** Does it have content? A quote of only fences and white space does not. */
export const isQuote = (quote: string): boolean => quotedLines(quote).length > 0

/** As it was given, without signs of a diff, without line numbers. */
const writings = (quote: string): ReadonlyArray<string> => {
  const lines = quote.split("\n").filter((line) => line.trim() !== "")
  const plain = [quote]
  if (lines.length > 0 && lines.every((line) => /^\s*\d+\s*[|:+ -]/.test(line))) {
    plain.push(lines.map((line) => line.replace(/^\s*\d+\s*(?:\||:)?\s?[+-]?/, "")).join("\n"))
    // Both sides' numbers, as the `diff` tool shows them.
    plain.push(lines.map((line) => line.replace(/^\s*\d+\s+\d+\s*[+-]?/, "")).join("\n"))
  }
  if (lines.some((line) => /^\s*[+-]/.test(line))) {
    plain.push(lines.map((line) => line.replace(/^(\s*)[+-]/, "$1")).join("\n"))
  }
  return plain
}

const knownNumbers = ({ count, numbers }: QuotedText): ReadonlyArray<number> =>
  count === null ? (numbers ?? []) : Array.from({ length: count }, (_, at) => at + 1)

const marker = /\[REDACT(?:ED|ION)_[A-Z_]+\]/

const placeIn = (
  quote: string,
  said: number,
  lines: ReadonlyArray<{ readonly text: string; readonly at: number }>
): number | null => {
  const wanted = quotedLines(quote).join("").replace(/\s+/g, "")
  if (wanted.replace(marker, "").length < leastLength) return null
  const starts: Array<number> = []
  const parts: Array<string> = []
  let length = 0
  for (const { text } of lines) {
    starts.push(length)
    const part = text.replace(/\s+/g, "")
    parts.push(part)
    length += part.length
  }
  const found = offsetsOf(wanted, parts.join("")).map((offset) => lines[lastAtMost(starts, offset)]?.at ?? 0)
  const places = [...new Set(found)].filter((line) => line > 0)
  if (places.length === 0 || (places.length > 1 && wanted.length < tellingLength)) return null
  return places.reduce((best, line) => (Math.abs(line - said) < Math.abs(best - said) ? line : best))
}

const offsetsOf = (wanted: string, text: string): ReadonlyArray<number> => {
  const offsets: Array<number> = []
  if (!marker.test(wanted)) {
    for (let at = text.indexOf(wanted); at !== -1 && offsets.length < mostPlaces; at = text.indexOf(wanted, at + 1)) {
      offsets.push(at)
    }
    return offsets
  }
  // The hidden text may have been anything; the text around it must be there, in order.
  const [first = "", ...rest] = wanted.split(new RegExp(marker.source, "g"))
  const anchor = first === "" ? (rest.find((part) => part !== "") ?? "") : first
  if (anchor === "") return []
  const others = first === "" ? rest.slice(rest.indexOf(anchor) + 1) : rest
  for (let at = text.indexOf(anchor); at !== -1 && offsets.length < mostPlaces; at = text.indexOf(anchor, at + 1)) {
    let end = at + anchor.length
    const follows = others.every((part) => {
      const next = text.indexOf(part, end)
      const isNear = next !== -1 && next - end <= longestHidden
      end = next + part.length
      return isNear
    })
    if (follows) offsets.push(at)
  }
  return offsets
}

const longestHidden = 4_000

/** Index of the last that is at most `value`; lines without text share a start, and the last of them has it. */
const lastAtMost = (ascending: ReadonlyArray<number>, value: number): number => {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (ascending[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}

const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim()

const quotedLines = (quote: string): ReadonlyArray<string> => {
  const lines = quote
    .split("\n")
    .map(squeezed)
    // A fence around the quote is not part of it.
    .filter((line) => line !== "" && !line.startsWith("```"))
    .map((line) => (line.length > 1 && line.startsWith("`") && line.endsWith("`") ? line.slice(1, -1) : line))
  // What follows an ellipsis is somewhere else.
  const cut = lines.findIndex((line) => /^(?:#|\/\/|--|\/\*)?\s*(?:\.\.\.|…)\s*(?:\*\/)?$/.test(line))
  return cut > 0 ? lines.slice(0, cut) : lines
}

const standsAt = (quote: ReadonlyArray<string>, start: number, text: QuotedText): boolean => {
  let line = start
  for (const [index, wanted] of quote.entries()) {
    let here = text.line(line)
    // Blank lines inside a quote are often lost on the way; the first line may not be one.
    while (index > 0 && here !== undefined && here.trim() === "") here = text.line(++line)
    if (here === undefined || !squeezed(here).includes(wanted)) return false
    line++
  }
  return true
}
