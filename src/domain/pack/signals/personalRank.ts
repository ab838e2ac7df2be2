/**
 * A personalised PageRank (Page and others 1998): how closely the nodes of a graph are tied to some of them.
 *
 * The result is the same on every machine: the order of additions is that of the edges.
 */

const rounds = 12
/** Of each score, what returns to the seeds in each round. */
const restart = 0.35
const scale = 1e9

/** The edges of a graph with `sums.length` nodes. */
export interface Edges {
  /** Of each node, the weights of its edges together. */
  readonly sums: Float64Array
  /** Adds to `next`, for each edge from a node, its weight times the node's share. */
  readonly spread: (shares: Float64Array, next: Float64Array) => void
}

/** A whole number for each node. */
export const personalRank = ({ spread, sums }: Edges, seeds: ReadonlyArray<number>): ReadonlyArray<number> => {
  let scores = new Float64Array(sums.length)
  for (const seed of seeds) scores[seed] = 1 / seeds.length
  const shares = new Float64Array(sums.length)
  for (let round = 0; round < rounds; round++) {
    for (let node = 0; node < sums.length; node++) {
      shares[node] = sums[node] === 0 ? 0 : ((1 - restart) * scores[node]!) / sums[node]!
    }
    const next = new Float64Array(sums.length)
    spread(shares, next)
    for (const seed of seeds) next[seed]! += restart / seeds.length
    scores = next
  }
  return [...scores].map((score) => Math.round(score * scale))
}
