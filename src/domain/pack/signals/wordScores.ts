/**
 * How well files match the words of a change: BM25 (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009)
 * over identifiers.
 */
import type { WordIndex } from "../WordIndex.ts"
import type { Scores } from "./Scores.ts"

const saturation = 1.2
const lengthShare = 0.75

/** `query`: words with their weights. */
export const wordScores = (query: ReadonlyMap<string, number>, { files, paths, postings }: WordIndex): Scores => {
  const average = files.reduce((sum, { total }) => sum + total, 0) / Math.max(1, files.length)
  const scores = new Float64Array(files.length)
  for (const [word, weight] of query) {
    const posting = postings.get(word)
    if (posting === undefined) continue
    const worth = weight * rarity(posting.files.length, files.length) * (saturation + 1)
    for (const [at, file] of posting.files.entries()) {
      const count = posting.counts[at]!
      const length = saturation * (1 - lengthShare + (lengthShare * files[file]!.total) / average)
      scores[file]! += (worth * count) / (count + length)
    }
  }
  return new Map(paths.map((path, at) => [path, Math.round(scores[at]! * scale)] as const))
}

/** Scores are whole numbers, so that engines whose logarithms differ in the last digit agree. */
const scale = 1024

const rarity = (number: number, all: number): number =>
  Math.round(Math.log(1 + (all - number + 0.5) / (number + 0.5)) * scale) / scale
