/** How similar the paths of files are to those of the changed ones: folders that they share, and words of their names. */
import type { Scores } from "./Scores.ts"

/** With more changed files, the nearest ones of the others are no sign of anything. */
const targetsCompared = 100

interface Parts {
  readonly folders: ReadonlyArray<string>
  readonly words: ReadonlySet<string>
}

export const pathScores = (
  changed: ReadonlyArray<string>,
  words: ReadonlyMap<string, number>,
  paths: ReadonlyArray<string>
): Scores => {
  const targets = changed.slice(0, targetsCompared).map(partsOf)
  const spoken = new Set([...words.keys()].flatMap(wordsOfName))
  const scores = new Map<string, number>()
  for (const path of paths) {
    const parts = partsOf(path)
    let best = 0
    for (const target of targets) best = Math.max(best, likeness(parts, target))
    const named = [...parts.words].filter((word) => spoken.has(word)).length
    scores.set(path, best + Math.round((named / Math.max(1, parts.words.size)) * 500))
  }
  return scores
}

const likeness = (a: Parts, b: Parts): number => {
  let shared = 0
  while (shared < a.folders.length && shared < b.folders.length && a.folders[shared] === b.folders[shared]) shared++
  const folders = (shared + 1) / (Math.max(a.folders.length, b.folders.length) + 1)
  let words = 0
  for (const word of a.words) if (b.words.has(word)) words++
  const either = a.words.size + b.words.size - words
  return Math.round((either === 0 ? 0 : (words / either) * 1200) + folders * 800)
}

/** Words that tests add to the name of what they test. */
const testWords = new Set(["test", "tests", "spec", "it"])

const partsOf = (path: string): Parts => {
  const folders = path.split("/")
  const name = folders.pop() ?? ""
  const stem = name.replace(/\.[^.]*$/, "")
  const words = wordsOfName(stem).filter((word) => !testWords.has(word))
  // The name of a module is that of its folder.
  const isModule = words.every((word) => ["index", "mod", "init", "main", "lib"].includes(word))
  return {
    folders,
    words: new Set(isModule && folders.length > 0 ? [...words, ...wordsOfName(folders.at(-1)!)] : words)
  }
}

/** Also of an identifier. */
const wordsOfName = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
