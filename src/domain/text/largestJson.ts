/**
 * Finds the JSON values in text that says more than that.
 *
 * Source: reference §3.2. A leading code fence is dropped; if the whole is not JSON, the longest balanced
 * object or array that parses wins. Strings are honoured, so braces in quotes do not count.
 */
import { Option } from "effect"

/** Scans that found no partner; hostile text (`[[[[...`) stops here instead of costing n². */
const failedScansAllowed = 200

export const largestJson = (text: string): Option.Option<unknown> => {
  const body = withoutFence(text.trim())
  const whole = parseJson(body)
  if (whole !== undefined) return Option.some(whole)
  let best: JsonSpan | null = null
  for (const span of jsonSpans(body).spans) if (best === null || span.length > best.length) best = span
  return best === null ? Option.none() : Option.some(best.value)
}

export interface JsonSpan {
  readonly value: unknown
  readonly length: number
}

/** The outermost values of a text in order, and whether something that looks like JSON begins and never ends. */
export const jsonSpans = (text: string): { readonly spans: ReadonlyArray<JsonSpan>; readonly isOpen: boolean } => {
  const spans: Array<JsonSpan> = []
  let failed = 0
  let isOpen = false
  for (let at = 0; at < text.length && failed < failedScansAllowed; at++) {
    const first = text[at]
    if (first !== "{" && first !== "[") continue
    const end = closing(text, at)
    if (end === -1) {
      isOpen ||= beginsJson(text, at)
      failed++
      continue
    }
    const value = parseJson(text.slice(at, end + 1))
    if (value === undefined) {
      failed++
      continue
    }
    spans.push({ value, length: end + 1 - at })
    // What stands inside a value that parses is shorter than it.
    at = end
  }
  return { spans, isOpen: isOpen || failed >= failedScansAllowed }
}

/** `{"name":`, or a list of objects, lists or texts: not the brace of some code. */
const beginsJson = (text: string, at: number): boolean =>
  /^(?:\{\s*"[^"\n]{0,80}"\s*:|\[\s*(?:\{\s*"|\[|"[^"\n]{0,400}",))/.test(text.slice(at, at + 500))

const withoutFence = (text: string): string => {
  if (!text.startsWith("```")) return text
  const opened = text.indexOf("\n")
  if (opened === -1) return text
  const inner = text.slice(opened + 1).trimEnd()
  return inner.endsWith("```") ? inner.slice(0, -3) : inner
}

/** Only objects and arrays count, a bare number or word is prose; undefined where it is no JSON. */
export const parseJson = (text: string): unknown => {
  const first = text[0]
  if (first !== "{" && first !== "[") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
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
