/**
 * Takes the answer out of what a model said around it.
 *
 * In this order: JSON in a code fence, then the longest balanced value in the text. An answer that begins and does not
 * end is `CutOff`, never a part of itself: `{"issues": [{"files": []` must not read as an empty list. Total, and
 * bounded on hostile text. Source: reference §3.2, §11.1.
 */
import { jsonSpans, parseJson } from "./largestJson.ts"

export type Salvaged =
  /** `whole`: nothing else was said, or it stood in a fence of its own. */
  | { readonly _tag: "Found"; readonly value: unknown; readonly whole: boolean }
  | { readonly _tag: "CutOff" }
  | { readonly _tag: "Nothing" }

export const salvage = (text: string): Salvaged => {
  const body = withoutThinking(text).trim()
  const whole = parseJson(body)
  if (whole !== undefined) return { _tag: "Found", value: whole, whole: true }
  const { value: fenced, rest } = fencedJson(body)
  const { spans, isOpen } = jsonSpans(rest)
  // What is fenced may be a quote before the answer itself.
  if (isOpen) return { _tag: "CutOff" }
  if (fenced !== undefined) return { _tag: "Found", value: fenced, whole: true }
  let best: { readonly value: unknown; readonly length: number } | null = null
  for (const span of spans) if (best === null || span.length > best.length) best = span
  return best === null ? { _tag: "Nothing" } : { _tag: "Found", value: best.value, whole: false }
}

/** Models behind compatible servers say their thinking in the text. What never ends is all thinking. */
const withoutThinking = (text: string): string => {
  const start = /^\s*<think(?:ing)?>/.exec(text)
  if (start === null) return text
  const end = /<\/think(?:ing)?>/.exec(text)
  return end === null ? "" : text.slice(end.index + end[0].length)
}

/** The longest fenced block that is JSON (of two as long, the later), and the text without such blocks. */
const fencedJson = (text: string): { readonly value: unknown; readonly rest: string } => {
  let best: { readonly value: unknown; readonly length: number } | null = null
  const rest: Array<string> = []
  let told = 0
  let opened: { readonly at: number; readonly inner: number } | null = null
  for (const line of linesWithOffsets(text)) {
    if (opened === null) {
      if (/^\s*(?:```|~~~)\s*(?:json[c5l]?)?\s*$/i.test(line.text)) opened = { at: line.start, inner: line.end }
    } else if (/^\s*(?:```|~~~)\s*$/.test(line.text)) {
      const inner = text.slice(opened.inner, line.start).trim()
      const value = parseJson(inner)
      if (value !== undefined) {
        if (best === null || inner.length >= best.length) best = { value, length: inner.length }
        rest.push(text.slice(told, opened.at))
        told = line.end
      }
      opened = null
    }
  }
  return { value: best?.value, rest: [...rest, text.slice(told)].join("\n") }
}

function* linesWithOffsets(text: string) {
  let start = 0
  while (start <= text.length) {
    const newline = text.indexOf("\n", start)
    const end = newline === -1 ? text.length : newline
    // A fence is a short line; what is long is content.
    yield { text: end - start > 200 ? "" : text.slice(start, end), start, end: end + 1 }
    if (newline === -1) return
    start = newline + 1
  }
}
