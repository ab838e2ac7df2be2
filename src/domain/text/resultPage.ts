/**
 * A tool's result, cut where it is too long for the model, with a notice that says how to read on. The notice is part of
 * the page and never of the text.
 */
import { charactersWithin } from "./tokensAtMost.ts"

/** By which a model reads on. */
export const moreAction = "read_more"

/** `from` and the notice count characters. A text that fits is left as it is. */
export const resultPage = (callId: string, text: string, from: number, tokens: number): string => {
  const end = pageEnd(text, from, tokens)
  const page = from === 0 && end === text.length ? text : text.slice(from, end)
  if (end === text.length) return page
  const way = `${moreAction} with ${JSON.stringify({ call: callId, from: end })}`
  return `${page}\n[dd: cut here; characters ${from} to ${end} of ${text.length}. To read on, call ${way}]`
}

/** After the last whole line where one ends in the page's second half; no pair of surrogates is taken apart. */
const pageEnd = (text: string, from: number, tokens: number): number => {
  const end = from + Math.max(1, charactersWithin(text, from, tokens))
  if (end >= text.length) return text.length
  const line = text.lastIndexOf("\n", end - 1) + 1
  if (line > from + (end - from) / 2) return line
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff && end - from > 1 ? end - 1 : end
}
