/** Imports of any language: finds them without parsing, and resolves them to files. */
import { isTestPath, isVendoredPath } from "../domain/change/PathKind.ts"
import { nearestFirst } from "../domain/code/nearestFirst.ts"
import { folderOf, nameOf, type Repository } from "../domain/code/Repository.ts"
import { foldersAbove } from "../domain/text/foldersAbove.ts"
import type { Import } from "./Language.ts"
import { endingsOf, languageOf } from "./languages.ts"

/** The files that an import may refer to, best first; empty if they are outside of the repository. */
export const resolveImport = (from: string, wanted: Import, repository: Repository): ReadonlyArray<string> => {
  const found = languageOf(from)?.resolve(from, wanted, repository) ?? []
  return [...new Set(found)].filter((path) => path !== from)
}

/** The endings of files that may use the definitions of this one. */
export const endingsBeside = (path: string): ReadonlyArray<string> => {
  const language = languageOf(path)
  return language === null ? [] : endingsOf(language.family)
}

/** Can two files of one language use each other's names without an import? */
export const sharesNames = (path: string, other: string): boolean => {
  const shares = languageOf(path)?.sharesNames ?? "none"
  if (shares === "all" || shares === "none") return shares === "all"
  return folderOf(path) === folderOf(other) || (shares === "package" && packageOf(path) === packageOf(other))
}

/** The module and the folder below its source root: the same for `src/main/java/shop/Cart.java` and its test. */
const packageOf = (path: string): string => folderOf(path).replace(sourceSet.test(path) ? sourceSet : sourceRoot, "$1:")

const sourceSet = /(^|\/)src\/\w+\/(?:java|kotlin)\//
const sourceRoot = /(^|\/)(?:src|tests?)\//

/** Does the language of the file have import words? */
export const hasImportWords = (path: string): boolean => (languageOf(path)?.importWord ?? null) !== null

/** The word that an import of this file must contain; null if there is none (the entry point of a program). */
export const importWord = (path: string): string | null => {
  const segments = path.split("/")
  const name = segments.pop() ?? ""
  const stem = name.replace(/(?:\.d)?\.\w+$/, "")
  return (
    languageOf(path)?.importWord?.({ name, stem, folder: segments.at(-1) ?? null, outer: segments.at(-2) ?? null }) ??
    null
  )
}

/** A longer statement is not read to its end. */
const longestStatement = 80
/** A longer line is part of a bundle, or data. */
const longestLine = 10_000

/**
 * The import statements of a file, each as text that can be parsed: a small part of the file, so that many files can be
 * searched. Statements in Python's long strings are left out.
 */
export const importStatements = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const form = languageOf(path)?.statements ?? null
  if (form === null) return []
  const kept: Array<string> = []
  let inString = false
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    if (form.longString !== undefined && (line.match(form.longString)?.length ?? 0) % 2 === 1) {
      inString = !inString
      continue
    }
    if (inString || line.length > longestLine || !form.start.test(line)) continue
    let statement = line.trim()
    for (let more = 0; more < longestStatement && form.isOpen(statement) && i + 1 < lines.length; more++) {
      statement += `\n${lines[++i]!.trim()}`
    }
    kept.push(statement)
  }
  return kept
}

/** Joins statements to one text that can be parsed. */
export const asText = (statements: ReadonlyArray<string>): string => `${statements.join("\n")}\n`

/** The data files for these subjects, nearest first: go.mod, Cargo.toml, composer.json, package.json and tsconfig files. */
export const dataFiles = (subjects: ReadonlyArray<string>, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = [...new Set(subjects.map((path) => languageOf(path)?.dataFile ?? null))].filter(
    (each) => each !== null
  )
  if (wanted.length === 0) return []
  const above = new Set(subjects.flatMap(foldersAbove))
  const isWanted = (path: string): boolean => {
    const name = nameOf(path)
    const forms = wanted.filter((form) => form.name.test(name))
    if (forms.length === 0) return false
    const file = {
      name,
      isAbove: above.has(folderOf(path)),
      isTest: isTestPath(path),
      isVendored: isVendoredPath(path)
    }
    return forms.some(({ isWanted }) => isWanted?.(file) ?? true)
  }
  return nearestFirst(subjects, paths.filter(isWanted))
}
