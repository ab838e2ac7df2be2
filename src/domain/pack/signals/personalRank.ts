/**
 * A personalised PageRank (Page and others 1998): how closely the nodes of a graph are tied to some of them.
 *
 * The result is the same on every machine: the order of additions is that of the edges.
 */

/** Weighted edges in both directions, between indices of a list. */
export interface Graph {
  readonly size: number
  readonly add: (one: number, other: number, weight: number) => void
  readonly rank: (seeds: ReadonlyArray<number>) => ReadonlyArray<number>
}

const rounds = 12
/** Of each score, what returns to the seeds in each round. */
const restart = 0.35
const scale = 1e9

export const graphOf = (size: number): Graph => {
  const edges = Array.from({ length: size }, (): Map<number, number> => new Map())
  const addOne = (from: number, to: number, weight: number) => {
    const out = edges[from]!
    out.set(to, (out.get(to) ?? 0) + weight)
  }
  return {
    size,
    add: (one, other, weight) => {
      if (one === other) return
      addOne(one, other, weight)
      addOne(other, one, weight)
    },
    rank: (seeds) => {
      const sums = edges.map((out) => out.values().reduce((sum, weight) => sum + weight, 0))
      let scores = new Float64Array(size)
      for (const seed of seeds) scores[seed] = 1 / seeds.length
      for (let round = 0; round < rounds; round++) {
        const next = new Float64Array(size)
        for (const [from, out] of edges.entries()) {
          if (scores[from] === 0 || out.size === 0) continue
          const share = ((1 - restart) * scores[from]!) / sums[from]!
          for (const [to, weight] of out) next[to]! += share * weight
        }
        for (const seed of seeds) next[seed]! += restart / seeds.length
        scores = next
      }
      return [...scores].map((score) => Math.round(score * scale))
    }
  }
}
