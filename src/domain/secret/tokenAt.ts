/** Finds the start and the end of tokens in a text. */
import { matchEnd } from "../text/matchAt.ts"
import { type TokenFormat, tokenFormats } from "./tokenFormats.ts"

/** `\bgh…`, `\b[sr]k…`: the possible first two characters, read from the pattern, so that both are consistent. */
const firstTwo = /^\\b(?:\[([A-Za-z0-9_]+)\]|([A-Za-z0-9_]))([A-Za-z0-9_])(?![?*{|])/

const startKey = (first: number, second: number): number => first * 128 + second

/** The formats by their first two ASCII characters. */
const byStart: Array<ReadonlyArray<RegExp> | undefined> = Array.from({ length: 128 * 128 })
/** The formats without such a start: they are searched for in the whole text. */
const others: Array<TokenFormat> = []
for (const format of tokenFormats) {
  const [, anyOf, one, second] = firstTwo.exec(format.pattern.source) ?? []
  if (second === undefined) {
    others.push(format)
    continue
  }
  const sticky = new RegExp(format.pattern.source, "y")
  for (const first of anyOf ?? one ?? "") {
    const key = startKey(first.charCodeAt(0), second.charCodeAt(0))
    byStart[key] = [...(byStart[key] ?? []), sticky]
  }
}

/** Where a token that begins at a word's first ASCII letter or digit ends, or -1. */
export const tokenAt = (text: string, at: number): number => {
  const second = text.charCodeAt(at + 1)
  const candidates = second < 128 ? byStart[startKey(text.charCodeAt(at), second)] : undefined
  if (candidates === undefined) return -1
  let end = -1
  for (const pattern of candidates) end = Math.max(end, matchEnd(pattern, text, at))
  if (end < 0 || isStyleClass(text, at, end)) return -1
  return end - at < longestMatch ? end : matchEnd(wordCharacters, text, end)
}

/** Most patterns end here; the rest of a longer token belongs to it. */
const longestMatch = 255
const wordCharacters = /[\w-]*/y

/** `otherTokens` finds nothing in a text that has none of these. */
export const otherPrefixes: ReadonlyArray<string> = others.map(({ prefix }) => prefix)

/** The tokens that `tokenAt` cannot find, because their first characters vary. */
export function* otherTokens(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (const { prefix, pattern } of others) {
    if (!text.includes(prefix)) continue
    for (const match of text.matchAll(pattern)) yield { start: match.index, end: match.index + match[0].length }
  }
}

/** `sk-fading-circle` is a CSS class: two words or more, without capitals or digits. */
const isStyleClass = (text: string, at: number, end: number): boolean =>
  text.startsWith("sk-", at) &&
  (text[at - 1] === "-" ? /^sk-[a-z-]+$/ : /^sk-[a-z]+(?:-[a-z]+)+\d?$/).test(text.slice(at, end))
