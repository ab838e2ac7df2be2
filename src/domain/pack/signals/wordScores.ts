/**
 * How well files match the words of a change: BM25 (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009)
 * over identifiers.
 */
import type { FileWords } from "../FileWords.ts"
import type { Scores } from "./Scores.ts"

const saturation = 1.2
const lengthShare = 0.75

/** `query`: words with their weights. */
export const wordScores = (query: ReadonlyMap<string, number>, files: ReadonlyMap<string, FileWords>): Scores => {
  const having = new Map<string, number>()
  let all = 0
  for (const { counts, total } of files.values()) {
    all += total
    for (const word of query.keys()) if (counts.has(word)) having.set(word, (having.get(word) ?? 0) + 1)
  }
  const average = all / Math.max(1, files.size)
  const weights = [...query].flatMap(([word, weight]) => {
    const number = having.get(word) ?? 0
    return number === 0 ? [] : [[word, weight * rarity(number, files.size)] as const]
  })
  const scores = new Map<string, number>()
  for (const [path, { counts, total }] of files) {
    const length = saturation * (1 - lengthShare + (lengthShare * total) / average)
    let score = 0
    for (const [word, weight] of weights) {
      const count = counts.get(word)
      if (count !== undefined) score += (weight * count * (saturation + 1)) / (count + length)
    }
    if (score > 0) scores.set(path, Math.round(score * scale))
  }
  return scores
}

/** Scores are whole numbers, so that engines whose logarithms differ in the last digit agree. */
const scale = 1024

const rarity = (number: number, all: number): number =>
  Math.round(Math.log(1 + (all - number + 0.5) / (number + 0.5)) * scale) / scale
