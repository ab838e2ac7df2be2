/**
 * Finds the JSON value a model meant, in text that says more than that.
 *
 * Source: reference §3.2. A leading code fence is dropped; if the whole is not JSON, the longest balanced
 * object or array that parses wins. Strings are honoured, so braces in quotes do not count.
 */
import { Option } from "effect"

/** Scans that found no partner; hostile text (`[[[[...`) stops here instead of costing n². */
const failedScansAllowed = 200

export const largestJson = (text: string): Option.Option<unknown> => {
  const body = withoutFence(text.trim())
  const whole = parse(body)
  if (Option.isSome(whole)) return whole

  let best: Option.Option<unknown> = Option.none()
  let bestLength = 0
  let failed = 0
  for (let at = 0; at < body.length && failed < failedScansAllowed; at++) {
    const first = body[at]
    if (first !== "{" && first !== "[") continue
    const end = closing(body, at)
    if (end === -1) {
      failed++
      continue
    }
    const value = parse(body.slice(at, end + 1))
    if (Option.isNone(value)) {
      failed++
      continue
    }
    if (end + 1 - at > bestLength) {
      best = value
      bestLength = end + 1 - at
    }
    // What stands inside a value that parses is shorter than it.
    at = end
  }
  return best
}

const withoutFence = (text: string): string => {
  if (!text.startsWith("```")) return text
  const opened = text.indexOf("\n")
  if (opened === -1) return text
  const inner = text.slice(opened + 1).trimEnd()
  return inner.endsWith("```") ? inner.slice(0, -3) : inner
}

/** Only objects and arrays count: a bare number or word is prose. */
const parse = (text: string): Option.Option<unknown> => {
  const first = text[0]
  if (first !== "{" && first !== "[") return Option.none()
  try {
    return Option.some(JSON.parse(text))
  } catch {
    return Option.none()
  }
}

/** The index of the bracket that closes the one at `start`, or -1. */
const closing = (text: string, start: number): number => {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === "\\") at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{" || char === "[") depth++
    else if ((char === "}" || char === "]") && --depth === 0) return at
  }
  return -1
}
