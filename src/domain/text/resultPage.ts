/**
 * Cuts the result of a tool that is too long for the model, and adds a notice about how to continue. The notice is part
 * of the page, not of the text.
 */
import { charactersWithin } from "./tokensAtMost.ts"

/** The tool by which a model reads the next page. */
export const moreAction = "read_more"

/** `from` and the notice count characters. A text that fits is not changed. */
export const resultPage = (callId: string, text: string, from: number, tokens: number): string => {
  const end = pageEnd(text, from, tokens)
  const page = from === 0 && end === text.length ? text : text.slice(from, end)
  if (end === text.length) return page
  const way = `${moreAction} with ${JSON.stringify({ call: callId, from: end })}`
  return `${page}\n[dd: cut here; characters ${from} to ${end} of ${text.length}. To read on, call ${way}]`
}

/** Cuts after a line that ends in the second half of the page, if there is one; never splits a surrogate pair. */
const pageEnd = (text: string, from: number, tokens: number): number => {
  const end = from + Math.max(1, charactersWithin(text, from, tokens))
  if (end >= text.length) return text.length
  const line = text.lastIndexOf("\n", end - 1) + 1
  if (line > from + (end - from) / 2) return line
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff && end - from > 1 ? end - 1 : end
}
