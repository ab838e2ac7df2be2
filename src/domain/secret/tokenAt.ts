/** Finds the start and the end of tokens in a text. */
import { matchEnd } from "../text/matchAt.ts"
import { type TokenFormat, tokenFormats } from "./tokenFormats.ts"

/** `\bgh…`, `\b[sr]k_live`: the possible first three characters, read from the pattern, so that both are consistent. */
const start = /^\\b(?:\[([\w]+)\]|(\w))(?:\[(\w+)\]|(\w))(?![?*{|])(?:([\w-])(?![?*{|]))?/

/** Other prefixes are part of words and digests. */
const isDistinct = /^A[KS]IA$|^\w{3,}[-_.]|^(?:gh|xox|sk-ant-)$/
const generated = /(?=[A-Za-z]{0,15}\d)[A-Za-z0-9]{16}/

const startKey = (first: number, second: number): number => first * 128 + second

interface Candidate {
  readonly pattern: RegExp
  /** The code of its third character; -1 if it varies. */
  readonly third: number
  /** The same inside of a word; null if a word may have its form. */
  readonly inWord: { readonly pattern: RegExp; readonly claimed: RegExp } | null
}

/** The formats by their first two ASCII characters. */
const byStart = new Map<number, ReadonlyArray<Candidate>>()
/** Is there a format with this start? Faster than the map for most words, which have none. */
const isStart = new Uint8Array(128 * 128)
/** The formats without such a start: they are searched for in the whole text. */
const others: Array<TokenFormat> = []
for (const format of tokenFormats) {
  const { source } = format.pattern
  const [, anyFirst, first, anySecond, second, third] = start.exec(source) ?? []
  const seconds = anySecond ?? second
  if (seconds === undefined) {
    others.push(format)
    continue
  }
  const claimed = format.inWord ?? (isDistinct.test(format.prefix) ? generated : null)
  const candidate: Candidate = {
    pattern: new RegExp(source, "y"),
    third: third?.charCodeAt(0) ?? -1,
    inWord: claimed && { pattern: new RegExp(source.slice(2), "y"), claimed }
  }
  for (const one of anyFirst ?? first ?? "") {
    for (const two of seconds) {
      const key = startKey(one.charCodeAt(0), two.charCodeAt(0))
      byStart.set(key, [...(byStart.get(key) ?? []), candidate])
      isStart[key] = 1
    }
  }
}

const candidatesAt = (first: number, second: number): ReadonlyArray<Candidate> | undefined => {
  const key = startKey(first, second)
  return isStart[key] === 1 ? byStart.get(key) : undefined
}

/** Where a token that begins at a word's first ASCII letter or digit ends, or -1. */
export const tokenAt = (text: string, at: number): number => {
  const second = text.charCodeAt(at + 1)
  const candidates = second < 128 ? candidatesAt(text.charCodeAt(at), second) : undefined
  if (candidates === undefined) return -1
  const next = text.charCodeAt(at + 2)
  let end = -1
  for (const { pattern, third } of candidates) {
    if (third < 0 || third === next) end = Math.max(end, matchEnd(pattern, text, at))
  }
  return end < 0 || isStyleClass(text, at, end) ? -1 : wholeEnd(text, at, end)
}

/** The first token inside of the name from `start` to `end`, behind a letter, a digit or `_`: `xghp_…`. */
export const tokenInWord = (text: string, start: number, end: number) => {
  for (let at = start + 1; at <= end - shortestToken; at++) {
    const candidates = candidatesAt(text.charCodeAt(at), text.charCodeAt(at + 1))
    if (candidates === undefined || text.charCodeAt(at - 1) === dash) continue
    for (const { inWord, third } of candidates) {
      if (inWord === null || (third >= 0 && third !== text.charCodeAt(at + 2))) continue
      const end = matchEnd(inWord.pattern, text, at)
      if (end >= 0 && inWord.claimed.test(text.slice(at, end))) return { start: at, end: wholeEnd(text, at, end) }
    }
  }
  return null
}

const dash = 45
/** A token may be inside of a word of this length. */
export const shortestToken = 20
/** Most patterns end here; the rest of a longer token belongs to it. */
const longestMatch = 255
const wordCharacters = /[\w-]*/y

const wholeEnd = (text: string, at: number, end: number): number =>
  end - at < longestMatch ? end : matchEnd(wordCharacters, text, end)

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
