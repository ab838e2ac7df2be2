/** Puts the hidden text back into a text that was edited in its redacted form. Pure. */
import { Result } from "effect"
import { anyMarker } from "../text/Mask.ts"
import { noMarker, withReturns } from "./replaceOnce.ts"

/**
 * `shown` is the redacted form of `original`, line by line. An edited line with hidden text must be one of its lines; it may be
 * moved or deleted. In a file with only CRLF, edited lines get CRLF.
 */
export const restored = (original: string, shown: string, edited: string): Result.Result<string, string> => {
  const [lines, shownLines] = [original.split("\n"), shown.split("\n")]
  if (lines.length !== shownLines.length) return Result.fail(ambiguous)
  const hidden = new Map<string, string | null>()
  for (const [at, line] of shownLines.entries()) {
    const own = lines[at]!
    if (line !== own) hidden.set(line, hidden.has(line) && hidden.get(line) !== own ? null : own)
  }
  const isWindows = original.includes("\r\n") && !/(?<!\r)\n/.test(original)
  const restoredLines: Array<string> = []
  for (const line of (isWindows ? withReturns(edited) : edited).split("\n")) {
    const own = hidden.get(line)
    if (own === null) return Result.fail(ambiguous)
    if (own === undefined && anyMarker.test(line)) return Result.fail(noMarker)
    restoredLines.push(own ?? line)
  }
  return Result.succeed(restoredLines.join("\n"))
}

const ambiguous = "it has secrets that cannot be put back at their lines"
