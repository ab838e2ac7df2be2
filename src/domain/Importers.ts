/** Where to look for the files that import a file, before any of them is parsed. */
import { compareText } from "./Finding.ts"
import { foldersAbove } from "./ImportResolution.ts"
import { type Grammar, grammarOf } from "./Syntax.ts"

/** Languages that import each other's files. */
const familyByGrammar: Readonly<Partial<Record<Grammar, string>>> = {
  python: "python",
  typescript: "script",
  tsx: "script",
  javascript: "script",
  go: "go",
  rust: "rust",
  elixir: "elixir",
  java: "java",
  ruby: "ruby"
}

export const families: ReadonlyArray<string> = [...new Set(Object.values(familyByGrammar))]

/** Null for a file whose language has no imports that name files. */
export const familyOf = (path: string): string | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (familyByGrammar[grammar] ?? null)
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

const importLine: Readonly<Record<string, RegExp>> = {
  python: /^\s*(?:from|import)\b/,
  script: /\bfrom\s*["']|\brequire\s*\(|\bimport\s*(?:\(|["'])/,
  go: /^\s*(?:import\s+)?(?:[\w.]+\s+)?"[^"]*\/?[^"]*"\s*(?:\/\/.*)?$/,
  rust: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:use|mod)\b|::/,
  elixir: /^\s*(?:alias|import|use|require)\b/,
  java: /^\s*import\b/,
  ruby: /^\s*require(?:_relative)?\b/
}

/** The lines that may belong to an import, so that most files need not be parsed. */
export const importLines = (family: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const pattern = importLine[family]
  return pattern === undefined ? [] : lines.filter((line) => line.length < 1_000 && pattern.test(line))
}

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
