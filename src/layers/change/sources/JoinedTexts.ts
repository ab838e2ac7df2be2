/**
 * Many texts in one buffer, searched for words all at once: the machine goes through ten megabytes for a word in less
 * than a millisecond, while looking at each text takes longer than searching it.
 *
 * A word is where `git grep --word-regexp` finds it: neither before nor after it is an ASCII letter, a digit or an
 * underscore. Texts are bytes, as they lie in the repository; what they are encoded in does not matter, and a word is
 * looked for as UTF-8.
 */

import type { WordGroup } from "../../../domain/change/WordPlace.ts"
import type { Steps } from "../../../domain/system/Steps.ts"

/** Where a word is in one text. */
export interface WordFound {
  readonly word: string
  /** From 1. */
  readonly line: number
}

/** Where a text lies in the buffer: from its first byte to behind its last. */
export interface TextSpan {
  readonly name: string
  readonly from: number
  readonly to: number
}

export interface JoinedTexts {
  /** What is before, between and behind the texts is nobody's. */
  readonly bytes: Buffer
  /** In the order in which they lie there. */
  readonly spans: ReadonlyArray<TextSpan>
}

/** The names of the texts that contain one of the words; one step for each word. */
export function* mentioning(texts: JoinedTexts, words: ReadonlyArray<string>): Steps<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const word of searchable(words)) {
    eachPlace(texts, word, (span) => {
      names.add(span.name)
      return span.to
    })
    yield
  }
  return names
}

/** The places of a group's words, in order and by text, in texts that have enough of them; one step for each word or text. */
export function* places(
  texts: JoinedTexts,
  groups: ReadonlyArray<WordGroup>
): Steps<ReadonlyMap<string, ReadonlyArray<WordFound>>> {
  const standing = new Map<TextSpan, Map<string, Array<number>>>()
  for (const word of searchable(groups.flatMap(({ words }) => words))) {
    eachPlace(texts, word, (span, at, end) => {
      const inText = standing.get(span) ?? new Map<string, Array<number>>()
      standing.set(span, inText)
      const known = inText.get(word)
      if (known === undefined) inText.set(word, [at])
      else known.push(at)
      return end
    })
    yield
  }
  const found = new Map<string, ReadonlyArray<WordFound>>()
  for (const [span, inText] of standing) {
    const wanted = new Set(groups.flatMap((group) => (hasEnough(group, inText) ? group.words : [])))
    const all = [...inText].flatMap(([word, starts]) => (wanted.has(word) ? starts.map((at) => ({ at, word })) : []))
    if (all.length > 0) found.set(span.name, withLines(texts.bytes, span, all))
    yield
  }
  return found
}

/** `visit` returns the position from which to continue the search. */
const eachPlace = (
  { bytes, spans }: JoinedTexts,
  word: string,
  visit: (span: TextSpan, at: number, end: number) => number
): void => {
  const wanted = encoder.encode(word)
  let index = 0
  for (let at = bytes.indexOf(wanted); at >= 0; ) {
    const end = at + wanted.length
    while (index < spans.length && spans[index]!.to < end) index++
    const span = spans[index]
    if (span === undefined) return
    const stands =
      at >= span.from &&
      (at === span.from || isWordByte[bytes[at - 1]!] === 0) &&
      (end === span.to || isWordByte[bytes[end]!] === 0)
    at = bytes.indexOf(wanted, stands ? visit(span, at, end) : Math.max(at + 1, span.from))
  }
}

/** An empty word would match everywhere, and one with a line break would be two words. */
const searchable = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(words)].filter((word) => word !== "" && !/[\n\0]/.test(word))

const hasEnough = ({ enough, words }: WordGroup, present: ReadonlyMap<string, unknown>): boolean =>
  words.filter((word) => present.has(word)).length >= enough

const withLines = (
  bytes: Buffer,
  span: TextSpan,
  found: ReadonlyArray<{ readonly at: number; readonly word: string }>
): ReadonlyArray<WordFound> => {
  let line = 1
  let next = bytes.indexOf(newline, span.from)
  return found
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, word }) => {
      for (; next >= 0 && next < at; next = bytes.indexOf(newline, next + 1)) line++
      return { word, line }
    })
}

const encoder = new TextEncoder()
const newline = 10
const isWordByte = new Uint8Array(256)
for (const byte of encoder.encode("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")) {
  isWordByte[byte] = 1
}
