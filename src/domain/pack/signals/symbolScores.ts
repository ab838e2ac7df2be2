/**
 * How closely files are tied to the changed ones by the names that they define and use: a personalised rank over the
 * graph of files (for names of code, as in Aider's repository map). An edge joins a file that uses a name with one that
 * defines it.
 */
import type { Posting, WordIndex } from "../WordIndex.ts"
import { type Edges, personalRank } from "./personalRank.ts"
import type { Scores } from "./Scores.ts"

/** A name that more files use is a word of the language or the project. */
const mostUsers = 2_000
/** How much more an edge counts for a name that the change has. */
const emphasis = 10

/** The files of one name, by their indices. */
interface Name {
  readonly definers: ReadonlyArray<number>
  readonly users: ReadonlyArray<number>
  /** The square roots of the users' counts. */
  readonly roots: ReadonlyArray<number>
  readonly weight: number
}

/** `words`: those of the change; `users`: how often files use a name, where this is known better than by its words. */
export const symbolScores = (
  changed: ReadonlySet<string>,
  words: ReadonlyMap<string, number>,
  index: WordIndex,
  users: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map()
): Scores => {
  const { paths } = index
  const ranked = personalRank(
    edgesOf(paths.length, namesOf(index, words, users)),
    paths.flatMap((path, at) => (changed.has(path) ? [at] : []))
  )
  return new Map(paths.map((path, at) => [path, ranked[at]!] as const))
}

const namesOf = (
  { definers, paths, postings }: WordIndex,
  words: ReadonlyMap<string, number>,
  users: ReadonlyMap<string, ReadonlyMap<string, number>>
): ReadonlyArray<Name> => {
  const names: Array<Name> = []
  const indexes = new Map(users.size === 0 ? [] : paths.map((path, at) => [path, at] as const))
  for (const [name, some] of definers) {
    const known = users.get(name)
    const { counts, files } =
      known === undefined
        ? postings.get(name)!
        : postingOf(
            new Map([
              ...some.map((at) => [at, 1] as const),
              ...[...known].map(([path, count]) => [indexes.get(path) ?? -1, count] as const)
            ])
          )
    // A name that only its own file uses is no edge.
    if (files.length > mostUsers || (files.length === 1 && some.length === 1)) continue
    const weight = (words.has(name) ? emphasis : 1) / some.length / Math.sqrt(files.length)
    names.push({ definers: some, users: files, roots: counts.map(Math.sqrt), weight })
  }
  return names
}

const postingOf = (counts: ReadonlyMap<number, number>): Posting => {
  const known = [...counts].filter(([file]) => file >= 0).toSorted(([a], [b]) => a - b)
  return { files: known.map(([file]) => file), counts: known.map(([, count]) => count) }
}

/** The edges are not listed: there are as many as users times definers. A file has no edge to itself. */
const edgesOf = (size: number, names: ReadonlyArray<Name>): Edges => {
  const spread: Edges["spread"] = (shares, next) => {
    for (const { definers, roots, users, weight } of names) {
      let fromUsers = 0
      for (let at = 0; at < users.length; at++) fromUsers += shares[users[at]!]! * roots[at]!
      let fromDefiners = 0
      for (const definer of definers) {
        fromDefiners += shares[definer]!
        const own = users.indexOf(definer)
        next[definer]! += weight * (fromUsers - (own < 0 ? 0 : shares[definer]! * roots[own]!))
      }
      for (let at = 0; at < users.length; at++) {
        const user = users[at]!
        const own = definers.includes(user) ? shares[user]! : 0
        next[user]! += weight * roots[at]! * (fromDefiners - own)
      }
    }
  }
  const sums = new Float64Array(size)
  spread(new Float64Array(size).fill(1), sums)
  return { sums, spread }
}
