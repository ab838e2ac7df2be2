/** Replaces a text that occurs exactly once in a file. Pure. */
import { Result } from "effect"
import { anyMarker } from "../text/Mask.ts"

export interface Replaced {
  readonly text: string
  /** Where the replaced text began, from 1. */
  readonly line: number
}

/**
 * In a file with only CRLF, the line breaks may be written as LF and are kept as CRLF. A marker of the redactor is never
 * written, because the text that it replaces would be lost.
 */
export const replaceOnce = (text: string, old: string, fresh: string): Result.Result<Replaced, string> => {
  if (old === "") return Result.fail("there is no text to replace")
  if (old === fresh) return Result.fail("the new text is the old one")
  const isWindows = text.includes("\r\n") && !/(?<!\r)\n/.test(text)
  const [wanted, given] = isWindows ? [withReturns(old), withReturns(fresh)] : [old, fresh]
  const at = text.indexOf(wanted)
  if (at < 0) {
    return Result.fail(
      anyMarker.test(old)
        ? "the text to replace has a [REDACTED_...] in it, which is not what stands there: leave that line out"
        : "the text to replace is not in the file; read_file shows its content"
    )
  }
  const places = placesOf(text, wanted)
  if (places.length > 1) {
    const lines = places.slice(0, 5).map((place) => lineAt(text, place))
    return Result.fail(
      `the text to replace stands ${places.length === mostPlaces ? "many" : places.length} times (lines ${lines.join(", ")}): take more lines around it`
    )
  }
  if (anyMarker.test(fresh) && !anyMarker.test(old)) return Result.fail(noMarker)
  return Result.succeed({ text: text.slice(0, at) + given + text.slice(at + wanted.length), line: lineAt(text, at) })
}

export const noMarker = "the new text has a [REDACTED_...] in it, which replaces text that is not known"

/** With CRLF at the end of every line. */
export const withReturns = (text: string): string => text.replace(/\r?\n/g, "\r\n")

const mostPlaces = 100

/** Includes overlapping occurrences, which are ambiguous, too. */
const placesOf = (text: string, wanted: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = text.indexOf(wanted); at >= 0 && places.length < mostPlaces; at = text.indexOf(wanted, at + 1)) {
    places.push(at)
  }
  return places
}

const lineAt = (text: string, place: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line++
  return line
}
