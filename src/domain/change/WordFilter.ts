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
  for (const each of hashes) {
    for (let index = 0; index < bitsSet; index++) {
      const bit = bitOf(each, index, filter)
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
  for (const word of words) {
    for (let index = 0; index < bitsSet; index++) {
      const bit = bitOf(word, index, filter)
      if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
    }
  }
  return true
}

/** Double hashing: the second hash is odd, so that the bits differ. */
const bitOf = (hash: number, index: number, filter: WordFilter): number => {
  const step = (Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) | 1) >>> 0
  return ((hash >>> 0) + index * step) % (filter.length * 8)
}

/** FNV-1a, 32 bits. */
const offset = 0x811c9dc5
const prime = 0x01000193

export const isWordByte = new Uint8Array(256)
for (const byte of new TextEncoder().encode("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")) {
  isWordByte[byte] = 1
}
