/**
 * The modules that are loaded together with a file of TypeScript or JavaScript, read from its lines without a syntax tree.
 * Type-only imports are left out. Linear in the text.
 */
import type { LoadedModule } from "../Language.ts"
import { longestStatement } from "../lines.ts"

export const loadedScript = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
  if (/\.d\.[cm]?ts$/.test(path)) return []
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

/** Null for a type-only statement, and for one without a module. */
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
