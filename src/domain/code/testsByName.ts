/** Which test files belong to a file, by their names alone; pure. */

import { isTestFile, testNamesOf } from "../change/TestFile.ts"
import { repositoryOf } from "./ImportResolution.ts"

const testsOfOne = 5
/** Of tests with one name (`index.test.ts` in every package), how many are compared with a file's own folders. */
const namesakesCompared = 64

/** Test files by name: of those with the right name, the ones whose folders agree most with the file's own. */
export const testsByName = (
  wanted: ReadonlyArray<string>,
  paths: ReadonlyArray<string>
): ReadonlyArray<{ readonly path: string; readonly test: string }> => {
  const { byName } = repositoryOf(paths, new Map())
  const namesakes = new Map<string, Namesakes>()
  const testsNamed = (name: string): Namesakes => {
    const known = namesakes.get(name) ?? namesakesOf(byName.get(name) ?? [])
    namesakes.set(name, known)
    return known
  }
  return wanted.flatMap((path) => {
    if (isTestFile(path)) return []
    const named = testNamesOf(path).flatMap((name) => nearest(path, testsNamed(name)))
    const scored = named.map((test) => ({ test, score: sharedFolders(path, test) }))
    const best = Math.max(...scored.map(({ score }) => score))
    return scored
      .filter(({ score }) => score === best)
      .slice(0, testsOfOne)
      .map(({ test }) => ({ path, test }))
  })
}

/** Files of one name, and where among them those stand that are below a folder of a name. */
interface Namesakes {
  readonly files: ReadonlyArray<string>
  readonly below: ReadonlyMap<string, ReadonlyArray<number>>
}

const foldersOf = (path: string): ReadonlyArray<string> => path.split("/").slice(0, -1)

const namesakesOf = (files: ReadonlyArray<string>): Namesakes => {
  const below = new Map<string, Array<number>>()
  if (files.length <= namesakesCompared) return { files, below }
  for (const [index, file] of files.entries()) {
    for (const folder of new Set(foldersOf(file))) {
      const known = below.get(folder)
      if (known === undefined) below.set(folder, [index])
      else known.push(index)
    }
  }
  return { files, below }
}

/** All of a few; of many, first those that share the folder name fewest of them have. In their own order. */
const nearest = (path: string, { files, below }: Namesakes): ReadonlyArray<string> => {
  if (files.length <= namesakesCompared) return files
  const shared = [...new Set(foldersOf(path))]
    .flatMap((folder) => {
      const indices = below.get(folder)
      return indices === undefined ? [] : [indices]
    })
    .sort((a, b) => a.length - b.length)
  const chosen = new Set<number>()
  for (const indices of [...shared, files.slice(0, namesakesCompared).map((_, index) => index)]) {
    for (const index of indices) {
      if (chosen.size === namesakesCompared) break
      chosen.add(index)
    }
  }
  return [...chosen].sort((a, b) => a - b).flatMap((index) => files[index] ?? [])
}

/** How many folder names two paths share, wherever they stand: tests mirror the tree they test under another root. */
const sharedFolders = (a: string, b: string): number => {
  const folders = new Set(foldersOf(b))
  return foldersOf(a).filter((folder) => folders.has(folder)).length
}
