/** How similar the paths of files are to those of the changed ones: folders that they share, and words of their names. */
import { remembered } from "../../code/Repository.ts"
import type { Scores } from "./Scores.ts"

/** With more changed files, the nearest ones of the others are no sign of anything. */
const targetsCompared = 100

/** What a score is made of: shared folders, words that the names share, and words of the name that the change has. */
const shares = { folders: 800, words: 1200, spoken: 500 }

interface Parts {
  readonly folders: ReadonlyArray<string>
  readonly words: ReadonlySet<string>
}

/** `words`: those of the change. */
export const pathScores = (
  changed: ReadonlyArray<string>,
  words: ReadonlyMap<string, number>,
  paths: ReadonlyArray<string>
): Scores => {
  const targets = changed.slice(0, targetsCompared).map(partsOf)
  const byWord = new Map<string, Array<Parts>>()
  for (const target of targets) {
    for (const word of target.words) byWord.set(word, [...(byWord.get(word) ?? []), target])
  }
  const spoken = new Set([...words.keys()].flatMap(wordsOfName))
  const foldersBest = remembered((folder: string) =>
    Math.max(0, ...targets.map((target) => likenessOfFolders(folder.split("/").slice(0, -1), target.folders)))
  )
  const scores = new Map<string, number>()
  for (const path of paths) {
    const own = partsOf(path).words
    const alike = [...own].flatMap((word) => byWord.get(word) ?? [])
    const likeness = alike.reduce((best, target) => Math.max(best, likenessOfWords(own, target.words)), 0)
    const named = [...own].filter((word) => spoken.has(word)).length / Math.max(1, own.size)
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const score = shares.folders * foldersBest(folder) + shares.words * likeness + shares.spoken * named
    scores.set(path, Math.round(score))
  }
  return scores
}

const likenessOfFolders = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return (shared + 1) / (Math.max(a.length, b.length) + 1)
}

const likenessOfWords = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const both = [...a].filter((word) => b.has(word)).length
  return both / (a.size + b.size - both)
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
