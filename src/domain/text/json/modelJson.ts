/**
 * JSON in the text of a model. `exactJson` reads a text that is only JSON; `salvage` finds the answer in prose.
 *
 * An incomplete answer is `CutOff`: a part of it, such as the list in `{"issues": [{"files": []`, must not be used as the
 * answer. Never throws, and takes linear time on hostile text.
 */
import { Option, Schema } from "effect"

/** Levels of objects and lists; a deeper value could overflow the stack. */
const deepest = 200
/** The maximum number of failed attempts: text such as `[[[[...` would otherwise take quadratic time. */
const mostFailures = 200
/** Longer lines are not code fences. */
const longestFence = 200

/** The value of a text that is JSON, or JSON in one code fence. */
export const exactJson = (text: string): Option.Option<Schema.Json> => {
  const body = text.trim()
  return decoded(body.startsWith("```") ? body.replace(/^```[A-Za-z0-9]*\s*|```$/g, "").trim() : body)
}

export type Salvaged =
  /** `whole`: the text is only the value, or the value is in a code fence. */
  | { readonly _tag: "Found"; readonly value: Schema.Json; readonly whole: boolean }
  | { readonly _tag: "CutOff" }
  | { readonly _tag: "Nothing" }

/** An object or a list: the whole text, else the longest in a code fence, else the longest in the text. */
export const salvage = (text: string): Salvaged => {
  const body = withoutThinking(text).trim()
  const whole = opensValue(body, 0) ? decoded(body) : Option.none()
  if (Option.isSome(whole)) return { _tag: "Found", value: whole.value, whole: true }
  const fenced = longestFenced(body)
  const { isOpen, longest } = longestIn(fenced.rest)
  // The fenced value may be a quotation before the incomplete answer.
  if (isOpen) return { _tag: "CutOff" }
  if (fenced.longest !== null) return { _tag: "Found", value: fenced.longest.value, whole: true }
  return longest === null ? { _tag: "Nothing" } : { _tag: "Found", value: longest.value, whole: false }
}

interface Measured {
  readonly value: Schema.Json
  readonly length: number
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const decoded = (text: string): Option.Option<Schema.Json> =>
  opensValue(text, 0) && extentOf(text, 0).depth > deepest ? Option.none() : decode(text)

const opensValue = (text: string, at: number): boolean => text[at] === "{" || text[at] === "["

/** The index of the closing bracket for the one at `start`, or -1, and the number of levels between them. */
const extentOf = (text: string, start: number): { readonly end: number; readonly depth: number } => {
  let level = 0
  let depth = 0
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isQuoted) {
      if (char === "\\") at++
      else if (char === '"') isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === "{" || char === "[") depth = Math.max(depth, ++level)
    else if ((char === "}" || char === "]") && --level === 0) return { end: at, depth }
  }
  return { end: -1, depth }
}

/** Removes the thinking that some models write before the answer; brackets before it do not make it a part of JSON. */
const withoutThinking = (text: string): string => {
  if (!/^[\s[]*<think(?:ing)?>/.test(text)) return text
  const end = /<\/think(?:ing)?>/.exec(text)
  return end === null ? "" : text.slice(end.index + end[0].length)
}

/** The longest value in a code fence (the last of equal length), and the text without such fences. */
const longestFenced = (text: string): { readonly longest: Measured | null; readonly rest: string } => {
  let longest: Measured | null = null
  const rest: Array<string> = []
  let copied = 0
  let opening: { readonly start: number; readonly end: number } | null = null
  for (const line of linesOf(text)) {
    if (opening === null) {
      if (/^\s*(?:```|~~~)\s*(?:json[c5l]?)?\s*$/i.test(line.text)) opening = line
    } else if (/^\s*(?:```|~~~)\s*$/.test(line.text)) {
      const inner = text.slice(opening.end, line.start).trim()
      const value = opensValue(inner, 0) ? decoded(inner) : Option.none()
      if (Option.isSome(value)) {
        if (longest === null || inner.length >= longest.length) longest = { value: value.value, length: inner.length }
        rest.push(text.slice(copied, opening.start))
        copied = line.end
      }
      opening = null
    }
  }
  return { longest, rest: [...rest, text.slice(copied)].join("\n") }
}

function* linesOf(text: string) {
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start)
    const end = newline === -1 ? text.length : newline
    yield { text: end - start > longestFence ? "" : text.slice(start, end), start, end: end + 1 }
    start = end + 1
  }
}

/** The longest value in a text (the first of equal length), and whether the text contains incomplete JSON. */
const longestIn = (text: string): { readonly longest: Measured | null; readonly isOpen: boolean } => {
  let longest: Measured | null = null
  let failures = 0
  let isOpen = false
  for (let at = 0; at < text.length && failures < mostFailures; at++) {
    if (!opensValue(text, at)) continue
    const { depth, end } = extentOf(text, at)
    if (end === -1) isOpen ||= beginsJson(text, at)
    const value = end === -1 ? Option.none() : decoded(text.slice(at, end + 1))
    if (Option.isNone(value)) failures++
    else if (longest === null || end + 1 - at > longest.length) longest = { value: value.value, length: end + 1 - at }
    // Skip the inside of a value, even of one that is too deep.
    if (Option.isSome(value) || (end !== -1 && depth > deepest)) at = end
  }
  return { longest, isOpen: isOpen || failures >= mostFailures }
}

/** Is it `{"name":`, or a list of objects, lists or texts? Braces in code are different. */
const beginsJson = (text: string, at: number): boolean =>
  /^(?:\{\s*"[^"\n]{0,80}"\s*:|\[\s*(?:\{\s*"|\[|"[^"\n]{0,400}",))/.test(text.slice(at, at + 500))
