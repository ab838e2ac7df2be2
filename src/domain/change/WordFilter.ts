/**
 * The words of a text as a Bloom filter: about two bytes for each word, no word missed, and one word in some 1,500 found
 * that the text does not have.
 *
 * A word is a run of ASCII letters, digits and underscores, as in `git grep --word-regexp`. Texts are bytes in any
 * encoding.
 */

export type WordFilter = Uint8Array

const bitsPerWord = 16
const bitsSet = 7

export const wordFilter = (text: Uint8Array): WordFilter => {
  const hashes = new Set<number>()
  let hash = offset
  let isInWord = false
  for (let at = 0; at <= text.length; at++) {
    const byte = text[at] ?? 0
    if (isWordByte[byte] === 1) {
      hash = Math.imul(hash ^ byte, prime)
      isInWord = true
    } else if (isInWord) {
      hashes.add(hash)
      hash = offset
      isInWord = false
    }
  }
  const filter = new Uint8Array(Math.ceil((hashes.size * bitsPerWord) / 8))
  const bits = filter.length * 8
  for (const each of hashes) {
    const step = stepOf(each)
    for (let index = 0, next = each; index < bitsSet; index++, next = (next + step) | 0) {
      const bit = (next >>> 1) % bits
      filter[bit >> 3]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/** A text that is searched for, as the words it consists of; none if it has no character of a word. */
export type WantedWords = ReadonlyArray<number>

export const wantedWords = (text: string): WantedWords =>
  (text.match(/\w+/g) ?? []).map((word) => {
    let hash = offset
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), prime)
    return hash
  })

/** False: the text certainly lacks one of the words. */
export const mayHave = (filter: WordFilter, words: WantedWords): boolean => {
  const bits = filter.length * 8
  for (const word of words) {
    const step = stepOf(word)
    for (let index = 0, next = word; index < bitsSet; index++, next = (next + step) | 0) {
      const bit = (next >>> 1) % bits
      if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
    }
  }
  return true
}

/** Double hashing with integers of 32 bits: other numbers take ten times as long. The step is odd, so that bits differ. */
const stepOf = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) | 1

/** FNV-1a, 32 bits. */
const offset = 0x811c9dc5
const prime = 0x01000193

export const isWordByte = new Uint8Array(256)
for (const byte of new TextEncoder().encode("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")) {
  isWordByte[byte] = 1
}
