/**
 * One rank from several: reciprocal rank fusion (Cormack, Clarke, Büttcher 2009) in whole numbers, so that every machine
 * computes the same.
 */
import { ranksOf, type Scores } from "./signals/Scores.ts"

export const signals = ["imports", "symbols", "words", "history", "path"] as const
export type Signal = (typeof signals)[number]

export type Ranks = Readonly<Record<Signal, number | null>>

export interface Fused {
  readonly ranks: Ranks
  /** The sum of what the ranks are worth, a whole number. */
  readonly weight: number
}

/** Less than the usual 60: the first ranks of one signal say more than middle ranks of all. */
const smoothing = 6
/** What each signal counts: measured on repositories other than those that docs/pack.md reports. */
const shares: Readonly<Record<Signal, number>> = { imports: 1, symbols: 4, words: 3, history: 3, path: 3 }
const scale = 100_000

export const worthOfRank = (signal: Signal, rank: number | null): number =>
  rank === null ? 0 : Math.floor((shares[signal] * scale) / (smoothing + rank))

/** Lengths in bits to the part of the weight that is left: a file of twice the tokens counts 0.87 times as much. */
const byLength = Array.from({ length: 32 }, (_, bits) => Math.round(1024 * 2 ** (-bits / 5)))

/** The order in which files are taken: what they count for the tokens that they need. */
export const buyingValue = (weight: number, tokens: number): number => weight * byLength[32 - Math.clz32(tokens + 300)]!

/** Of all paths that a signal knows. */
export const fuse = (scores: Readonly<Record<Signal, Scores>>): ReadonlyMap<string, Fused> => {
  const ranks = signals.map((signal) => [signal, ranksOf(scores[signal])] as const)
  const paths = new Set(ranks.flatMap(([, ranked]) => [...ranked.keys()]))
  const fused = new Map<string, Fused>()
  for (const path of paths) {
    let weight = 0
    const own: Record<Signal, number | null> = { imports: null, symbols: null, words: null, history: null, path: null }
    for (const [signal, ranked] of ranks) {
      const rank = ranked.get(path) ?? null
      own[signal] = rank
      weight += worthOfRank(signal, rank)
    }
    fused.set(path, { ranks: own, weight })
  }
  return fused
}
