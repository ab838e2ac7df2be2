/**
 * The tests of a file, and the tests in a file's text, by each language's own way to name and to write one. Pure.
 *
 * Tests in a text are found by header and indentation, without a parser: enough for text that a formatter or a person has
 * laid out, and a test that is laid out otherwise is not found rather than found wrong.
 */
import { isTestFile, testNames } from "../domain/change/TestFile.ts"
import { repositoryOf } from "../domain/code/Repository.ts"
import type { TestStyle } from "./Language.ts"
import { languageOf } from "./languages.ts"

/** The file names under which a file's own tests go; empty for a test or a language without a convention. */
export const testNamesOf = (path: string): ReadonlyArray<string> => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  if (dot <= 0 || testNames.some((pattern) => pattern.test(name))) return []
  return languageOf(path)?.tests.namesFor(name.slice(0, dot), name.slice(dot + 1)) ?? []
}

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

/** Files of one name, and which of them are below a folder of a given name. */
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

/** How many folder names two paths share, wherever they are: tests mirror the tree they test under another root. */
const sharedFolders = (a: string, b: string): number => {
  const folders = new Set(foldersOf(b))
  return foldersOf(a).filter((folder) => folders.has(folder)).length
}

export interface TestCase {
  readonly name: string
  /** From 1: the header's line, and the last line of the body. */
  readonly line: number
  readonly endLine: number
  /** The lines below the header that are indented deeper, blank ones left out. */
  readonly body: ReadonlyArray<string>
}

/** In order of place; nothing for a language dd knows no test style of. */
export const testCases = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<TestCase> => {
  const known = languageOf(path)?.tests.styles ?? []
  const cases: Array<TestCase> = []
  for (let i = 0; i < lines.length; i++) {
    const name = nameOfTest(known, lines, i)
    if (name !== null) cases.push({ name, ...bodyBelow(lines, i) })
  }
  return cases
}

const nameOfTest = (known: ReadonlyArray<TestStyle>, lines: ReadonlyArray<string>, index: number): string | null => {
  const text = lines[index]!
  if (text.length > 1_000) return null
  for (const { header, mark } of known) {
    const name = header.exec(text)?.groups?.name
    if (name !== undefined && (mark === undefined || isMarked(lines, index, mark))) return name
  }
  return null
}

/** Annotations are right above, at most a few, with comments among them. */
const isMarked = (lines: ReadonlyArray<string>, index: number, mark: RegExp): boolean => {
  for (let i = index - 1; i >= Math.max(0, index - 6); i--) {
    const text = lines[i]!
    if (mark.test(text)) return true
    if (!/^\s*(?:#\[|@|\/\/|\*|\/\*)/.test(text)) return false
  }
  return false
}

const indentOf = (text: string): number => text.length - text.trimStart().length

const bodyBelow = (lines: ReadonlyArray<string>, index: number) => {
  const depth = indentOf(lines[index]!)
  const body: Array<string> = []
  let endLine = index + 1
  for (let i = index + 1; i < lines.length; i++) {
    const text = lines[i]!
    // Conditional compilation may be on any line.
    if (text.trim() === "" || /^\s*#(?:if|else|elseif|endif)\b/.test(text)) continue
    // The end of a header that was broken over lines: `) -> None:`, `) {`, `}) => {`.
    const continuesHeader = body.length === 0 || /^\s*[)\]}]+.*[:{(]\s*$/.test(text)
    if (indentOf(text) <= depth && !(continuesHeader && indentOf(text) === depth && /^\s*[)\]}]+.*[:{]\s*$/.test(text)))
      break
    body.push(text)
    endLine = i + 1
  }
  return { line: index + 1, endLine, body }
}
