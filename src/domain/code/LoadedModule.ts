/**
 * The modules that a file loads as soon as it is loaded itself, read from its lines without a syntax tree.
 *
 * Cheap enough for thousands of files. Imports inside functions, conditions and `try` are no such modules, nor are
 * imports that say of themselves that they are of types alone. Pure, and linear in the text.
 */
import { familyOf } from "../change/Grammar.ts"

export interface LoadedModule {
  /** As the statement names it. */
  readonly module: string
  /** What a Python statement takes from it. */
  readonly names: ReadonlyArray<string>
  /** Where the statement begins, from 1. */
  readonly line: number
  readonly endLine: number
}

/** In source order. Empty for a language in which loading in a circle means nothing. */
export const loadedModules = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
  switch (familyOf(path)) {
    case "python":
      return pythonModules(lines)
    case "script":
      return /\.d\.[cm]?ts$/.test(path) ? [] : scriptModules(lines)
    case "go":
      return goModules(lines)
    default:
      return []
  }
}

/** A statement over more lines than this is not followed to its end. */
const longestStatement = 200

const pythonModules = (lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
  const found: Array<LoadedModule> = []
  let quote: string | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const wasQuoted = quote !== null
    quote = quoteAfter(line, quote)
    if (wasQuoted || quote !== null) continue
    if (!line.startsWith("from") && !line.startsWith("import")) continue
    const start = /^(?:from\s+([.\w]+)\s+import\b|import\s)(.*)$/.exec(line)
    if (start === null) continue
    const first = at + 1
    let rest = (start[2] ?? "").replace(/#.*$/, "")
    for (let more = 0; more < longestStatement && at + 1 < lines.length; more++) {
      if (!rest.endsWith("\\") && (!rest.includes("(") || rest.includes(")"))) break
      rest = `${rest.replace(/\\$/, "")} ${lines[++at]!.replace(/#.*$/, "").trimEnd()}`
    }
    const names = rest
      .replace(/[()]/g, "")
      .split(",")
      .map((part) => part.trim().split(/\s+/)[0] ?? "")
      .filter((name) => name !== "")
    const module = start[1]
    if (module === "__future__") continue
    if (module !== undefined)
      found.push({ module, names: names.filter((name) => name !== "*"), line: first, endLine: at + 1 })
    else found.push(...names.map((name) => ({ module: name, names: [], line: first, endLine: at + 1 })))
  }
  return found
}

/** Does a Python module import something as it is loaded, but only if or try-wise? Then the order is not known. */
export const importsConditionally = (lines: ReadonlyArray<string>): boolean => {
  let isConditional = false
  for (const line of lines) {
    const first = /^\S+/.exec(line)?.[0]
    if (first !== undefined && !/^[)\]}#]/.test(first)) {
      isConditional =
        /^(?:if|elif|else|try|except|finally|with|for|while)\b/.test(first) && !/\bTYPE_CHECKING\b/.test(line)
    }
    if (isConditional && /^\s+(?:from\s+[.\w]+\s+import|import)\s/.test(line)) return true
  }
  return false
}

/** The long string that is open after the line; null when there is none. */
const quoteAfter = (line: string, before: string | null): string | null => {
  let quote = before
  if (!line.includes('"""') && !line.includes("'''")) return quote
  for (let at = 0; at < line.length; at++) {
    const three = line.slice(at, at + 3)
    if (quote !== null) {
      if (three === quote) {
        quote = null
        at += 2
      } else if (line[at] === "\\") at++
    } else if (three === '"""' || three === "'''") {
      quote = three
      at += 2
    } else if (line[at] === "#") return null
  }
  return quote
}

const scriptModules = (lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
  const found: Array<LoadedModule> = []
  for (let at = 0; at < lines.length; at++) {
    const begins = lines[at]!.startsWith("import") || lines[at]!.startsWith("export")
    if (!begins || !/^(?:import|export)\b/.test(lines[at]!) || lines[at]!.length > 2_000) continue
    const first = at + 1
    let statement = lines[at]!
    if (/^export\s+(?!type\b|[*{])/.test(statement)) continue
    for (let more = 0; more < longestStatement && at + 1 < lines.length; more++) {
      if (/["']/.test(statement) || /^(?:import|export)\b/.test(lines[at + 1]!)) break
      statement += ` ${lines[++at]!.replace(/\/\/.*$/, "")}`
    }
    const module = moduleLoadedBy(statement)
    if (module !== null) found.push({ module, names: [], line: first, endLine: at + 1 })
  }
  return found
}

/** Null for a statement that is of types alone, or names no module. */
const moduleLoadedBy = (statement: string): string | null => {
  const found = /^(import|export)\s*([^"'();=]*?)(?:\bfrom\s*)?["']([^"']+)["']/.exec(statement)
  if (found === null) return null
  const [, word, clause = "", module = ""] = found
  if (clause.trim() !== "type" && /^type\b(?!\s*,)/.test(clause)) return null
  if (word === "export" && clause.trim() === "") return null
  const braces = /^\s*\{([^}]*)\}\s*$/.exec(clause)
  const names = braces?.[1]?.split(",").filter((name) => name.trim() !== "") ?? []
  return names.length > 0 && names.every((name) => /^\s*type\s+\w/.test(name)) ? null : module
}

const goModules = (lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
  // What is built only sometimes proves nothing.
  const clause = lines.findIndex((line) => /^package\s/.test(line))
  if (clause < 0 || lines.slice(0, clause).some((line) => /^\/\/\s*\+build\b|^\/\/go:build\b/.test(line))) return []
  const found: Array<LoadedModule> = []
  let open = false
  for (let at = clause + 1; at < lines.length; at++) {
    const line = lines[at]!
    if (/^(?:func|type|var|const)\b/.test(line)) break
    if (/^import\s*\(/.test(line)) open = true
    else if (open && /^\s*\)/.test(line)) open = false
    const spec = open || /^import\s/.test(line) ? /^(?:import\s+)?\s*(?:[\w.]+\s+)?"([^"]+)"/.exec(line) : null
    if (spec !== null) found.push({ module: spec[1]!, names: [], line: at + 1, endLine: at + 1 })
  }
  return found
}
