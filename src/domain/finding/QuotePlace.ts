/**
 * Finds the first line of a quote in a file, nearest to the line that the reviewer reported.
 *
 * Ignores white space, joined and split lines, diff signs and line numbers in front, a fence around the quote, an ellipsis
 * at the end, and redacted parts. Within `quoteReach` lines any match is accepted; further away only a match that is
 * unique or too long to be a coincidence. A quote of deleted lines is placed where they were. Total; linear in the file.
 */

import { escapedForModels } from "../text/escapedForModels.ts"

/** The distance in lines that is explained by a wrong count. */
export const quoteReach = 3

/** This many characters without white space are not a coincidence. */
const uniqueLength = 16
/** Shorter quotes are not searched further away. */
const leastLength = 4
const mostPlaces = 5_000

export interface QuotedText {
  /** The number of lines; null if only hunks are known. */
  readonly count: number | null
  /** Undefined for an unknown line. */
  readonly line: (number: number) => string | undefined
  /** The known lines if `count` is null, ascending. */
  readonly numbers?: ReadonlyArray<number>
  /** The deleted lines in order, each with the head-side line at its place. */
  readonly deleted?: ReadonlyArray<{ readonly text: string; readonly at: number }>
}

/** Searches within `quoteReach` of the line; everywhere if `reported` is 0. Sufficient for the quotes of rules. */
export const nearbyPlace = (quote: string, reported: number, text: QuotedText): number | null => {
  const lines = quotedLines(quote)
  if (lines.length === 0) return null
  if (reported === 0) {
    for (let line = 1; line <= (text.count ?? 0); line++) if (isQuoteAt(lines, line, text)) return line
    return null
  }
  for (let distance = 0; distance <= quoteReach; distance++) {
    if (isQuoteAt(lines, reported + distance, text)) return reported + distance
    if (isQuoteAt(lines, reported - distance, text)) return reported - distance
  }
  return null
}

/** Searches all known lines, for each form in which a model may have written the quote. */
export const placeOfQuote = (quote: string, reported: number, text: QuotedText): number | null =>
  placeAsWritten(quote, reported, text) ?? placeAsWritten(quote, reported, asShown(text))

/** A model quotes what it was shown. */
const asShown = ({ deleted, line, ...text }: QuotedText): QuotedText => ({
  ...text,
  line: (number) => {
    const own = line(number)
    return own === undefined ? undefined : escapedForModels(own)
  },
  ...(deleted === undefined ? {} : { deleted: deleted.map((each) => ({ ...each, text: escapedForModels(each.text) })) })
})

const placeAsWritten = (quote: string, reported: number, text: QuotedText): number | null => {
  for (const written of writings(quote)) {
    const near = nearbyPlace(written, reported, text)
    if (near !== null) return near
  }
  const present = knownNumbers(text).map((at) => ({ text: text.line(at) ?? "", at }))
  for (const written of writings(quote)) {
    const place = placeIn(written, reported, present) ?? placeIn(written, reported, text.deleted ?? [])
    if (place !== null) return place
  }
  return null
}

/** Does the quote contain more than fences and white space? */
export const isQuote = (quote: string): boolean => quotedLines(quote).length > 0

/** The quote as it is, without diff signs, and without line numbers. */
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
  reported: number,
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
  if (places.length === 0 || (places.length > 1 && wanted.length < uniqueLength)) return null
  return places.reduce((best, line) => (Math.abs(line - reported) < Math.abs(best - reported) ? line : best))
}

const offsetsOf = (wanted: string, text: string): ReadonlyArray<number> => {
  const offsets: Array<number> = []
  if (!marker.test(wanted)) {
    for (let at = text.indexOf(wanted); at !== -1 && offsets.length < mostPlaces; at = text.indexOf(wanted, at + 1)) {
      offsets.push(at)
    }
    return offsets
  }
  // The redacted text may have been anything; the text around it must match in order.
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

/** The index of the last number that is at most `value`; lines without text have the same start. */
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
  // The text after an ellipsis is at another place.
  const cut = lines.findIndex((line) => /^(?:#|\/\/|--|\/\*)?\s*(?:\.\.\.|…)\s*(?:\*\/)?$/.test(line))
  return cut > 0 ? lines.slice(0, cut) : lines
}

const isQuoteAt = (quote: ReadonlyArray<string>, start: number, text: QuotedText): boolean => {
  let line = start
  for (const [index, wanted] of quote.entries()) {
    let here = text.line(line)
    // The quote may lack blank lines of the file; its first line must not be one.
    while (index > 0 && here !== undefined && here.trim() === "") here = text.line(++line)
    if (here === undefined || !squeezed(here).includes(wanted)) return false
    line++
  }
  return true
}
