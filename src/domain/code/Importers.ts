/** Where to look for the files that import a file, before any of them is parsed. */

import { endingsOf, familyOf, type Grammar, grammarEndings, grammarOf } from "../change/Grammar.ts"
import { isTestPath, isVendoredPath } from "../change/PathKind.ts"
import { compareText } from "../text/compareText.ts"
import { foldersAbove } from "../text/foldersAbove.ts"

/** Grammars whose files include each other's. */
const cGrammars: ReadonlySet<Grammar> = new Set(["c", "cpp"])

/** How the files end that may use what this one defines. */
export const endingsBeside = (path: string): ReadonlyArray<string> => {
  const family = familyOf(path)
  if (family !== null) return endingsOf(family)
  const own = grammarOf(path)
  return Object.entries(grammarEndings).flatMap(([ending, grammar]) => {
    const isKin = grammar === own || (own !== null && cGrammars.has(own) && cGrammars.has(grammar))
    return isKin ? [`.${ending}`] : []
  })
}

/** Do two files of one language see each other's names without an import of the one by the other? */
export const sharesNames = (path: string, other: string): boolean => {
  switch (grammarOf(path)) {
    case "swift":
    case "csharp":
    case "ruby":
    case "elixir":
      return true
    case "go":
    case "java":
    case "kotlin":
    case "php":
      return foldersAbove(path)[0] === foldersAbove(other)[0]
    default:
      return false
  }
}

const capitalized = (stem: string): string =>
  stem
    .split("_")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("")

/** The word an import of this file must contain; null when there is none (a program's entry). */
export const importWord = (path: string): string | null => {
  const segments = path.split("/")
  const name = segments.pop() ?? ""
  const stem = name.replace(/(?:\.d)?\.\w+$/, "")
  const folder = segments[segments.length - 1] ?? null
  switch (familyOf(path)) {
    case "go":
      return name.endsWith("_test.go") ? null : folder
    case "python":
      return stem === "__init__" ? folder : stem
    case "script":
      return stem === "index" ? (folder === "src" ? (segments[segments.length - 2] ?? null) : folder) : stem
    case "rust":
      return stem === "main" ? null : stem === "mod" ? folder : stem === "lib" ? null : stem
    case "elixir":
      return capitalized(stem)
    case null:
      return null
    default:
      return stem
  }
}

/** Where an import statement begins. */
const importStart: Readonly<Record<string, RegExp>> = {
  python: /^\s*(?:from|import)\s/,
  script: /^\s*(?:import\b|export\s*(?:type\s*)?[{*])|\brequire\s*\(\s*["']|\bimport\s*\(\s*["']/,
  go: /^import\b/,
  rust: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:use\s|mod\s+\w+\s*;)/,
  elixir: /^\s*(?:alias|import|use|require)\s/,
  java: /^\s*import\s/,
  ruby: /^\s*require(?:_relative)?\b/
}

/** A statement broken over more lines than this is not followed to its end. */
const longestStatement = 80

/**
 * The import statements of a file alone, each as text that parses: a small part of the whole, so that many files
 * can be asked. Statements inside Python's long strings are left out.
 */
export const importStatements = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const family = familyOf(path)
  const start = family === null ? undefined : importStart[family]
  if (family === null || start === undefined) return []
  const kept: Array<string> = []
  let inString = false
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    if (family === "python" && (line.match(/"""|'''/g)?.length ?? 0) % 2 === 1) {
      inString = !inString
      continue
    }
    if (inString || line.length > longestLine || !start.test(line)) continue
    let statement = line.trim()
    for (let more = 0; more < longestStatement && isOpen(family, statement) && i + 1 < lines.length; more++) {
      statement += `\n${lines[++i]!.trim()}`
    }
    kept.push(statement)
  }
  return kept
}

/** A longer one is a bundle's, or data. */
const longestLine = 10_000

/** Statements as one text that parses. */
export const asText = (statements: ReadonlyArray<string>): string => `${statements.join("\n")}\n`

/** Is the statement's end still to come? */
const isOpen = (family: string, statement: string): boolean => {
  if (family === "rust") return !statement.includes(";")
  if (family === "java" || family === "ruby") return false
  // `import {` waits for the module it names, which stands behind the closing brace.
  if (family === "script" && /^(?:import|export)\b/.test(statement) && !/["']/.test(statement)) return true
  return count(statement, /[({]/g) > count(statement, /[)}]/g) || statement.endsWith("\\")
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** `a/foo.service.js`, `pkg.foo` and `Shop.Foo` all mention `foo` in their own way. */
export const mentions = (statements: string, words: ReadonlySet<string>): boolean =>
  (statements.match(/[\w.-]+/g) ?? []).some(
    (token) =>
      words.has(token) ||
      words.has(token.slice(0, token.lastIndexOf("."))) ||
      token.split(".").some((part) => words.has(part))
  )

/**
 * Candidates by how near they live to any of the subjects: those that share the deepest folder with one come
 * first, then those that lie less deep below it. Linear in paths but for the sort.
 */
export const nearestFirst = (
  subjects: ReadonlyArray<string>,
  candidates: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const around = new Set(subjects.flatMap(foldersAbove))
  const depths = new Map<string, readonly [shared: number, below: number]>()
  const depthOf = (path: string): readonly [number, number] => {
    const folders = foldersAbove(path)
    const folder = folders[0]!
    const known = depths.get(folder)
    if (known !== undefined) return known
    const below = folders.findIndex((above) => around.has(above))
    const depth = [folders.length - below, below] as const
    depths.set(folder, depth)
    return depth
  }
  return candidates
    .map((path) => ({ path, depth: depthOf(path) }))
    .sort((a, b) => b.depth[0] - a.depth[0] || a.depth[1] - b.depth[1] || compareText(a.path, b.path))
    .map(({ path }) => path)
}

/** What resolution needs to know besides paths, nearest first: go.mod, Cargo.toml, composer.json, package.json and tsconfig files. */
export const dataFiles = (subjects: ReadonlyArray<string>, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(subjects.map(familyOf))
  const hasPhp = subjects.some((path) => grammarOf(path) === "php")
  const above = new Set(subjects.flatMap(foldersAbove))
  const isWanted = (path: string): boolean => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const name = path.slice(folder.length)
    if (name === "go.mod") return known.has("go")
    if (name === "Cargo.toml") return known.has("rust")
    if (name === "composer.json") return hasPhp && !isVendoredPath(path)
    if (!known.has("script") || !name.endsWith(".json")) return false
    // Nobody imports an example, but there may be hundreds of them.
    const isWanted =
      name === "package.json"
        ? above.has(folder) || !isTestPath(path)
        : above.has(folder) && /^[jt]sconfig[\w.-]*\.json$/.test(name)
    return isWanted && !isVendoredPath(path)
  }
  return nearestFirst(subjects, paths.filter(isWanted))
}
