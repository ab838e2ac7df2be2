/** Builds answers of actions: text within bounds, with a notice of what was cut off and how to get it. */
import { Effect } from "effect"
import { revealedLine } from "../../../domain/text/Printable.ts"
import { plural } from "../../../domain/text/plural.ts"
import { refused } from "./Action.ts"

/** Of one answer, about ten thousand tokens. Header and notices are not included. */
export const answerBytes = 40_000

const longestLine = 1_000
const mostEntries = 500

const encoder = new TextEncoder()

/** How many of these lines fit, in order; at least one, so that paging makes progress. */
export const fittingCount = (lines: Iterable<string>, bytes = answerBytes): number => {
  let count = 0
  let left = bytes
  for (const line of lines) {
    left -= encoder.encode(line).length + 1
    if (left < 0 && count > 0) return count
    count++
  }
  return count
}

/** The entries from `from` (counted from 1) that fit into one answer, and a notice if more follow. */
export const pageOf = <A>(
  title: string,
  entries: ReadonlyArray<A>,
  from: number,
  render: (entry: A) => string,
  most = mostEntries
) => {
  if (from > entries.length) {
    return Effect.fail(refused(`${title}: ${plural(entries.length, "entry", "entries")}, none from ${from}`))
  }
  const page = entries.slice(from - 1, from - 1 + most).map(render)
  const shown = page.slice(0, fittingCount(page))
  const next = from + shown.length
  const left = entries.length - next + 1
  return Effect.succeed({ shown, more: left > 0 ? [`[${left} more: ask again from ${next}]`] : [] })
}

/** A line with its invisible characters made visible, cut to a length. */
export const cutLine = (line: string, length = longestLine): string => {
  const shown = revealedLine(line)
  return shown.length <= length
    ? shown
    : `${wholeCharacters(shown, 0, length)}… [${shown.length - length} more characters]`
}

/** The part of a long line around an index. */
export const cutAround = (line: string, at: number, length: number): string => {
  if (line.length <= length) return revealedLine(line)
  const start = Math.max(0, Math.min(at - Math.floor(length / 4), line.length - length))
  const end = start + length
  const part = revealedLine(wholeCharacters(line, start, end))
  return `${start > 0 ? "…" : ""}${part}${end < line.length ? "…" : ""} [of ${line.length} characters]`
}

/** A slice that does not begin or end with half of a surrogate pair. */
const wholeCharacters = (text: string, start: number, end: number): string =>
  text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
