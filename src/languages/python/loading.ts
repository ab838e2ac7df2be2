/**
 * The modules that are loaded together with a Python file, read from its lines without a syntax tree.
 *
 * Fast enough for thousands of files. Imports in functions, conditions and `try` are left out. Linear in the text.
 */
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import type { LoadedModule } from "../Language.ts"
import { longestStatement } from "../lines.ts"

export const loadedPython = (_path: string, lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
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

/** Does a Python module have imports in conditions or `try`? Then the order of loading is not known. */
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

/** The quote of the long string that is open after the line; null if there is none. */
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

/** The packages of a module, outermost first: Python loads them before it. */
export const packagesAbove = (path: string, paths: ReadonlySet<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const folder of foldersAbove(path)) {
    const file = `${folder}__init__.py`
    if (!paths.has(file)) break
    if (file !== path) found.push(file)
  }
  return found.reverse()
}

/** Is the name clearly bound by a statement above this line? */
export const boundBefore = (symbols: FileSymbols, name: string, before: number): boolean => {
  const isBefore = ({ line }: { readonly line: number }) => line < before
  const defined = symbols.definitions.filter((each) => each.container === null && each.name === name)
  const imported = symbols.imports.filter(({ local }) => local === name || local.startsWith(`${name}.`))
  if (defined.some(isBefore) || imported.some(isBefore)) return true
  // A name without a plain binding is not conclusive.
  const isPlain = defined.length + imported.length > 0
  return !isPlain || symbols.open || symbols.stars.length > 0 || symbols.bound.has(name)
}
