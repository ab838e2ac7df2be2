/**
 * Many texts in one buffer, searched for words together: ten megabytes take less than a millisecond, while a separate
 * search of each text has more overhead than work.
 *
 * A word is delimited as in `git grep --word-regexp`: there is no ASCII letter, digit or underscore before or after it.
 * Texts are bytes as in the repository, in any encoding; a word is searched for as UTF-8.
 */

import { isWordByte } from "../../../domain/change/WordFilter.ts"
import type { WordGroup } from "../../../domain/change/WordPlace.ts"
import type { Steps } from "../../../domain/system/Steps.ts"

/** Where a word is in one text. */
export interface WordFound {
  readonly word: string
  /** From 1. */
  readonly line: number
}

/** The position of a text in the buffer; `end` is exclusive. */
export interface TextSpan {
  readonly name: string
  readonly from: number
  readonly to: number
}

export interface JoinedTexts {
  /** Bytes before, between and after the texts belong to none of them. */
  readonly bytes: Buffer
  /** In the order of their positions. */
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

/**
 * The places of a group's words, in order and by text, in texts with enough of them; one step for each word or text.
 */
export function* places(
  texts: JoinedTexts,
  groups: ReadonlyArray<WordGroup>
): Steps<ReadonlyMap<string, ReadonlyArray<WordFound>>> {
  const bySpan = new Map<TextSpan, Map<string, Array<number>>>()
  for (const word of searchable(groups.flatMap(({ words }) => words))) {
    eachPlace(texts, word, (span, at, end) => {
      const inText = bySpan.get(span) ?? new Map<string, Array<number>>()
      bySpan.set(span, inText)
      const known = inText.get(word)
      if (known === undefined) inText.set(word, [at])
      else known.push(at)
      return end
    })
    yield
  }
  const found = new Map<string, ReadonlyArray<WordFound>>()
  const alone = new Set(groups.flatMap(({ enough, words }) => (enough <= 1 ? words : [])))
  const together = groups.filter(({ enough }) => enough > 1)
  for (const [span, inText] of bySpan) {
    const wanted = new Set(together.flatMap((group) => (hasEnough(group, inText) ? group.words : [])))
    const all = [...inText].flatMap(([word, starts]) =>
      alone.has(word) || wanted.has(word) ? starts.map((at) => ({ at, word })) : []
    )
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
    const isWord =
      at >= span.from &&
      (at === span.from || isWordByte[bytes[at - 1]!] === 0) &&
      (end === span.to || isWordByte[bytes[end]!] === 0)
    at = bytes.indexOf(wanted, isWord ? visit(span, at, end) : Math.max(at + 1, span.from))
  }
}

/** An empty word would match everywhere, and a word with a line break would be two words. */
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
