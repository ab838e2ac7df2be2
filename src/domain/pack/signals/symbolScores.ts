/**
 * How closely files are tied to the changed ones by the names that they define and use: a personalised rank over the
 * graph of files (for names of code, as in Aider's repository map).
 */
import type { FileWords } from "../FileWords.ts"
import { graphOf } from "./personalRank.ts"
import type { Scores } from "./Scores.ts"

/** A name that more files define says nothing about any of them. */
const mostDefiners = 5
/** A name that more files use is a word of the language or the project. */
const mostUsers = 2_000
/** How much more an edge counts for a name that the change has. */
const emphasis = 10

/** `words`: those of the change. */
export const symbolScores = (
  changed: ReadonlySet<string>,
  words: ReadonlyMap<string, number>,
  files: ReadonlyMap<string, FileWords>
): Scores => {
  const paths = [...files.keys()]
  const definers = new Map<string, Array<number>>()
  for (const [index, path] of paths.entries()) {
    for (const name of files.get(path)!.defined) {
      const known = definers.get(name)
      if (known === undefined) definers.set(name, [index])
      else known.push(index)
    }
  }
  for (const [name, some] of definers) if (some.length > mostDefiners) definers.delete(name)
  const users = new Map<string, Array<readonly [index: number, count: number]>>()
  for (const [index, path] of paths.entries()) {
    for (const [word, count] of files.get(path)!.counts) {
      if (!definers.has(word)) continue
      const known = users.get(word)
      if (known === undefined) users.set(word, [[index, count]])
      else known.push([index, count])
    }
  }
  const graph = graphOf(paths.length)
  for (const [name, some] of definers) {
    const using = users.get(name) ?? []
    if (using.length > mostUsers) continue
    const weight = (words.has(name) ? emphasis : 1) / some.length / Math.sqrt(using.length)
    for (const [user, count] of using) for (const definer of some) graph.add(user, definer, weight * Math.sqrt(count))
  }
  const ranked = graph.rank(paths.flatMap((path, index) => (changed.has(path) ? [index] : [])))
  return new Map(paths.map((path, index) => [path, ranked[index]!] as const))
}
