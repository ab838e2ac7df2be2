/**
 * The words of a file with their counts, and the names that it defines, from its text alone.
 *
 * A word is an identifier of at least three characters, also in comments and strings, in any language. A name counts as
 * defined after a word that introduces a definition (`class`, `fn`, `def`) and that only words precede on its line;
 * variables only at the start of a line, because most others are local. Linear in the text.
 */

export interface FileWords {
  /** In characters. */
  readonly length: number
  /** Of all words together. */
  readonly total: number
  /** Each once, with its count at the same index. */
  readonly words: ReadonlyArray<string>
  readonly counts: ReadonlyArray<number>
  readonly defined: ReadonlyArray<string>
}

const shortest = 3
const longest = 80

/** Words before the name of a definition, in all languages together. */
const introduces = new Set([
  ...["function", "class", "interface", "type", "enum", "namespace", "def", "defp", "defmacro", "defmodule", "module"],
  ...["fn", "struct", "trait", "mod", "union", "func", "protocol", "extension", "actor", "typealias", "object", "fun"],
  ...["record", "macro_rules"]
])
/** They introduce a definition only at the start of a line. */
const introducesVariable = new Set(["const", "let", "var", "val", "export"])

/** Words between the introducing word and the name. */
const never = new Set([...introduces, ...introducesVariable, "self", "async", "default", "mut", "static", "abstract"])

const isWordCode = new Uint8Array(128)
for (const letter of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$") {
  isWordCode[letter.charCodeAt(0)] = 1
}
const isWordAt = (code: number): boolean => (code < 128 ? isWordCode[code] === 1 : code > 0xbf)

const [newline, space, bang, open, close, star, dot, atSign] = [10, 32, 33, 40, 41, 42, 46, 64]

export const wordsIn = (text: string): FileWords => {
  const counts = new Map<string, number>()
  const defined = new Set<string>()
  let total = 0
  let introduced: "no" | "yes" | "receiver" = "no"
  let lineStart = 0
  let hasOnlyWords = true
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i)
    if (!isWordAt(code)) {
      if (code === newline) {
        lineStart = i + 1
        hasOnlyWords = true
      } else if (code > space && code !== open && code !== close && code !== atSign) hasOnlyWords = false
      // `func (c *Cart) Total(`: the receiver stands between the word and the name.
      if (introduced === "yes" && code === open) introduced = "receiver"
      else if (introduced === "receiver" && code === close) introduced = "yes"
      else if (introduced === "yes" && code !== space && code !== star && code !== bang && code !== dot)
        introduced = "no"
      i++
      continue
    }
    const start = i
    while (i < text.length && isWordAt(text.charCodeAt(i))) i++
    const length = i - start
    const isNumber = code >= 48 && code <= 57
    if (length > longest || length < 2 || isNumber) {
      if (introduced === "yes") introduced = "no"
      continue
    }
    const word = text.slice(start, i)
    if (introduced === "yes" && !never.has(word)) {
      if (length >= shortest) defined.add(word)
      // `defmodule Shop.Cart`: the last name is the one that others use.
      if (text.charCodeAt(i) !== dot) introduced = "no"
    } else if (hasOnlyWords && (introduces.has(word) || (start === lineStart && introducesVariable.has(word)))) {
      introduced = "yes"
    }
    if (length < shortest) continue
    counts.set(word, (counts.get(word) ?? 0) + 1)
    total++
  }
  return { length: text.length, total, words: [...counts.keys()], counts: [...counts.values()], defined: [...defined] }
}

/** For a cache: numbers, names, and words with their counts from 2, separated by spaces. */
export const packWords = ({ counts, defined, length, total, words }: FileWords): string =>
  [
    length,
    total,
    defined.length,
    ...defined,
    ...words.map((word, at) => (counts[at] === 1 ? word : `${word}*${counts[at]}`))
  ].join(" ")

/** Null if the value is not one that was packed. */
export const unpackWords = (packed: unknown): FileWords | null => {
  if (typeof packed !== "string") return null
  const parts = packed.split(" ")
  const [length, total, size] = parts.slice(0, 3).map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN))
  const first = 3 + (size ?? Number.NaN)
  if (!(length! >= 0 && total! >= 0 && first <= parts.length)) return null
  const words = parts.slice(first)
  const counts = new Array<number>(words.length).fill(1)
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const star = word.indexOf("*")
    if (star < 0) continue
    words[at] = word.slice(0, star)
    counts[at] = Number(word.slice(star + 1))
  }
  return { length: length!, total: total!, words, counts, defined: parts.slice(3, first) }
}
