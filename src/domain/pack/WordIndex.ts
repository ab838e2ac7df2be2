/** Which files have which words: of the words of a change, and of the names that files define. */
import type { FileWords } from "./FileWords.ts"

/** The files with a word, by their indices, and how often each has it. */
export interface Posting {
  readonly files: Array<number>
  readonly counts: Array<number>
}

export interface WordIndex {
  readonly paths: ReadonlyArray<string>
  readonly files: ReadonlyArray<FileWords>
  /** The files that define a name, by their indices. */
  readonly definers: ReadonlyMap<string, ReadonlyArray<number>>
  /** Of the words of the change and of names with few definers. */
  readonly postings: ReadonlyMap<string, Posting>
}

/** A name that more files define says nothing about any of them. */
const mostDefiners = 5

export const wordIndex = (words: Iterable<string>, byPath: ReadonlyMap<string, FileWords>): WordIndex => {
  const paths = [...byPath.keys()]
  const files = [...byPath.values()]
  const definers = new Map<string, Array<number>>()
  for (const [index, { defined }] of files.entries()) {
    for (const name of defined) {
      const known = definers.get(name)
      if (known === undefined) definers.set(name, [index])
      else known.push(index)
    }
  }
  const postings = new Map<string, Posting>()
  for (const word of words) postings.set(word, { files: [], counts: [] })
  for (const [name, some] of definers) {
    if (some.length > mostDefiners) definers.delete(name)
    else if (!postings.has(name)) postings.set(name, { files: [], counts: [] })
  }
  for (const [index, { counts, words }] of files.entries()) {
    for (let at = 0; at < words.length; at++) {
      const posting = postings.get(words[at]!)
      if (posting === undefined) continue
      posting.files.push(index)
      posting.counts.push(counts[at]!)
    }
  }
  return { paths, files, definers, postings }
}
