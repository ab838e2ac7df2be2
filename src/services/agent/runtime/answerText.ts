/**
 * Answers within their bounds: text for a model that is never longer than it may be, and that says what is missing and
 * how to have it. Pure.
 */
import { revealedLine } from "../../../domain/text/Printable.ts"
import type { ActionAnswer } from "./Action.ts"

/** Of one answer: some ten thousand tokens. Header and notices come on top. */
export const answerBytes = 40_000

/** Of a line; a longer one says how much of it is left out. */
export const lineLength = 1_000

export const answered = (text: string): ActionAnswer => ({ text, isError: false })
export const refused = (text: string): ActionAnswer => ({ text, isError: true })

const encoder = new TextEncoder()

/** How many of these lines fit, in order; one at least, so that paging goes on. */
export const fitting = (lines: Iterable<string>, bytes = answerBytes): number => {
  let count = 0
  let left = bytes
  for (const line of lines) {
    left -= encoder.encode(line).length + 1
    if (left < 0 && count > 0) return count
    count++
  }
  return count
}

/** A line with everything hidden shown, cut to a length. */
export const cutLine = (line: string, length = lineLength): string => {
  const shown = revealedLine(line)
  return shown.length <= length ? shown : `${whole(shown, 0, length)}… [${shown.length - length} more characters]`
}

/** The part of a long line around a place in it. */
export const cutAround = (line: string, at: number, length: number): string => {
  if (line.length <= length) return revealedLine(line)
  const start = Math.max(0, Math.min(at - Math.floor(length / 4), line.length - length))
  const end = start + length
  return `${start > 0 ? "…" : ""}${revealedLine(whole(line, start, end))}${end < line.length ? "…" : ""} [of ${line.length} characters]`
}

/** No half of a character at either end. */
const whole = (text: string, start: number, end: number): string =>
  text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`
