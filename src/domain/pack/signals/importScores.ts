/** How many imports lead from a changed file to another one, in either direction. */
import { personalRank } from "./personalRank.ts"
import type { Scores } from "./Scores.ts"

/** From each file to the files that its imports lead to. */
export type Imports = ReadonlyMap<string, ReadonlyArray<string>>

/** More steps lead to most of a repository. */
const farthest = 3

export interface Distances {
  /** The fewest imports between the file and a changed one; absent beyond `farthest`. */
  readonly distance: ReadonlyMap<string, number>
  /** The number of changed files within `farthest`. */
  readonly frequency: ReadonlyMap<string, number>
  /** For each changed file, how many files are within `farthest`. */
  readonly reached: ReadonlyMap<string, number>
  readonly scores: Scores
}

export const importDistances = (imports: Imports, changed: ReadonlyArray<string>): Distances => {
  const neighbours = bothWays(imports)
  const distance = new Map<string, number>()
  const frequency = new Map<string, number>()
  const reached = new Map<string, number>()
  for (const target of changed) {
    const seen = new Map([[target, 0]])
    let frontier = [target]
    for (let steps = 1; steps <= farthest; steps++) {
      const next: Array<string> = []
      for (const path of frontier) {
        for (const other of neighbours.get(path) ?? []) {
          if (seen.has(other)) continue
          seen.set(other, steps)
          next.push(other)
        }
      }
      frontier = next
    }
    reached.set(target, seen.size - 1)
    for (const [path, steps] of seen) {
      frequency.set(path, (frequency.get(path) ?? 0) + 1)
      distance.set(path, Math.min(steps, distance.get(path) ?? steps))
    }
  }
  return { distance, frequency, reached, scores: ranked(neighbours, changed) }
}

const ranked = (neighbours: Imports, changed: ReadonlyArray<string>): Scores => {
  const paths = [...neighbours.keys()]
  const indices = new Map(paths.map((path, index) => [path, index] as const))
  const edges = [...neighbours.values()].map((others) => others.map((other) => indices.get(other)!))
  const scores = personalRank(
    {
      sums: Float64Array.from(edges, ({ length }) => length),
      spread: (shares, next) => {
        for (const [from, to] of edges.entries()) for (const index of to) next[index]! += shares[from]!
      }
    },
    changed.flatMap((path) => indices.get(path) ?? [])
  )
  return new Map(paths.map((path, index) => [path, scores[index]!] as const))
}

const bothWays = (imports: Imports): Imports => {
  const neighbours = new Map<string, Set<string>>()
  const add = (from: string, to: string) => {
    const known = neighbours.get(from)
    if (known === undefined) neighbours.set(from, new Set([to]))
    else known.add(to)
  }
  for (const [from, targets] of imports) {
    for (const to of targets) {
      add(from, to)
      add(to, from)
    }
  }
  return new Map([...neighbours].map(([path, others]) => [path, [...others]] as const))
}
