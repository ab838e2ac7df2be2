/**
 * The test files of a file, and the tests in a text, by the conventions of each language.
 *
 * Tests in a text are found by header and indentation, without a parser. This is sufficient for formatted code; a test with
 * another layout is not found.
 */
import { isTestFile, testNames } from "../domain/change/TestFile.ts"
import { repositoryOf } from "../domain/code/Repository.ts"
import type { TestStyle } from "./Language.ts"
import { languageOf } from "./languages.ts"

/** The names of the test files of a file; empty for a test, and for a language without a convention. */
export const testNamesOf = (path: string): ReadonlyArray<string> => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  if (dot <= 0 || testNames.some((pattern) => pattern.test(name))) return []
  return languageOf(path)?.tests.namesFor(name.slice(0, dot), name.slice(dot + 1)) ?? []
}

const testsOfOne = 5
/** The maximum number of test files of one name (`index.test.ts` in every package) that are compared by folder. */
const namesakesCompared = 64

/** The test files with one of the names whose folders are most similar to the file's own. */
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

/** Files of one name, also by the names of the folders above them. */
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

/** All files if there are few; else first those that share the rarest folder name. The order is kept. */
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

/** The number of folder names that two paths share at any position: tests mirror the tree of the source. */
const sharedFolders = (a: string, b: string): number => {
  const folders = new Set(foldersOf(b))
  return foldersOf(a).filter((folder) => folders.has(folder)).length
}

export interface TestCase {
  readonly name: string
  /** The line of the header and the last line of the body, from 1. */
  readonly line: number
  readonly endLine: number
  /** The lines below the header that are indented deeper, without blank ones. */
  readonly body: ReadonlyArray<string>
}

/** In source order; empty for a language without a test style. */
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

/** Is one of the annotations and comments directly above a mark? */
const isMarked = (lines: ReadonlyArray<string>, index: number, mark: RegExp): boolean => {
  for (let i = index - 1; i >= Math.max(0, index - 6); i--) {
    const text = lines[i]!
    if (mark.test(text)) return true
    if (!/^\s*(?:#\[|@|\/\/|\*|\/\*)/.test(text)) return false
  }
  return false
}

const indentOf = (text: string): number => text.length - text.trimStart().length

/** The lines below a header that are indented deeper, without blank ones. */
export const bodyBelow = (lines: ReadonlyArray<string>, index: number) => {
  const depth = indentOf(lines[index]!)
  const body: Array<string> = []
  let endLine = index + 1
  for (let i = index + 1; i < lines.length; i++) {
    const text = lines[i]!
    // Conditional compilation may be on any line.
    if (text.trim() === "" || /^\s*#(?:if|else|elseif|endif)\b/.test(text)) continue
    // The end of a header of several lines: `) -> None:`, `) {`, `}) => {`.
    const continuesHeader = body.length === 0 || /^\s*[)\]}]+.*[:{(]\s*$/.test(text)
    if (indentOf(text) <= depth && !(continuesHeader && indentOf(text) === depth && /^\s*[)\]}]+.*[:{]\s*$/.test(text)))
      break
    body.push(text)
    endLine = i + 1
  }
  return { line: index + 1, endLine, body }
}
