/**
 * How closely files are tied to the changed ones by the names that they define and use: a personalised rank over the
 * graph of files (for names of code, as in Aider's repository map). An edge joins a file that uses a name with one that
 * defines it.
 */
import type { FileWords } from "../FileWords.ts"
import { type Edges, personalRank } from "./personalRank.ts"
import type { Scores } from "./Scores.ts"

/** A name that more files define says nothing about any of them. */
const mostDefiners = 5
/** A name that more files use is a word of the language or the project. */
const mostUsers = 2_000
/** How much more an edge counts for a name that the change has. */
const emphasis = 10

/** The files of one name, by their indices. */
interface Postings {
  readonly definers: Array<number>
  readonly users: Array<number>
  /** The square roots of the users' counts. */
  readonly roots: Array<number>
  weight: number
}

/** `words`: those of the change. */
export const symbolScores = (
  changed: ReadonlySet<string>,
  words: ReadonlyMap<string, number>,
  files: ReadonlyMap<string, FileWords>
): Scores => {
  const paths = [...files.keys()]
  const edges = edgesOf(paths.length, postingsOf([...files.values()], words))
  const ranked = personalRank(
    edges,
    paths.flatMap((path, index) => (changed.has(path) ? [index] : []))
  )
  return new Map(paths.map((path, index) => [path, ranked[index]!] as const))
}

const postingsOf = (files: ReadonlyArray<FileWords>, words: ReadonlyMap<string, number>): ReadonlyArray<Postings> => {
  const byName = new Map<string, Postings>()
  for (const [index, { defined }] of files.entries()) {
    for (const name of defined) {
      const known = byName.get(name)
      if (known === undefined) byName.set(name, { definers: [index], users: [], roots: [], weight: 0 })
      else known.definers.push(index)
    }
  }
  for (const [name, { definers }] of byName) if (definers.length > mostDefiners) byName.delete(name)
  for (const [index, { counts }] of files.entries()) {
    for (const [word, count] of counts) {
      const known = byName.get(word)
      if (known === undefined) continue
      known.users.push(index)
      known.roots.push(Math.sqrt(count))
    }
  }
  for (const [name, known] of byName) {
    if (known.users.length > mostUsers) byName.delete(name)
    else known.weight = (words.has(name) ? emphasis : 1) / known.definers.length / Math.sqrt(known.users.length)
  }
  return [...byName.values()]
}

/** The edges are not listed: there are as many as users times definers. A file has no edge to itself. */
const edgesOf = (size: number, names: ReadonlyArray<Postings>): Edges => {
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
