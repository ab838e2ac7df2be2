/**
 * How each language names what a file needs: a query for its import statements, and how to read one.
 *
 * Queries name nodes only: with fields and children in them they take many times longer to compile.
 */
import type { Import } from "../domain/ImportResolution.ts"
import type { Captures, Grammar, SyntaxNode } from "../domain/Syntax.ts"

export interface ImportQuery {
  /** Catches whole statements as `@statement`. */
  readonly query: string
  readonly read: (captures: Captures) => ReadonlyArray<Import>
}

const plain = (module: string): Import => ({ module, names: [] })

const each =
  (read: (statement: SyntaxNode) => ReadonlyArray<Import>) =>
  (captures: Captures): ReadonlyArray<Import> =>
    (captures.statement ?? []).flatMap(read)

/** The text of a string literal without interpolation; null for any other node. */
const literal = (node: SyntaxNode | null | undefined): string | null => {
  const [content, ...others] = node?.type === "string" ? node.namedChildren : []
  return content !== undefined && others.length === 0 && /^string_(?:fragment|content)$/.test(content.type)
    ? content.text
    : null
}

const firstArgument = (call: SyntaxNode): SyntaxNode | null =>
  call.childForFieldName("arguments")?.namedChildren[0] ?? null

/** `import` and `export ... from`, `require("...")` and `import("...")`. */
const scriptImport = (statement: SyntaxNode): ReadonlyArray<Import> => {
  const callee = statement.childForFieldName("function")
  const isImport = callee === null || callee.type === "import" || callee.text === "require"
  const module = isImport
    ? literal(callee === null ? statement.childForFieldName("source") : firstArgument(statement))
    : null
  return module === null ? [] : [plain(module)]
}

const script: ImportQuery = {
  query: "[(import_statement) (export_statement) (call_expression)] @statement",
  read: each(scriptImport)
}

/** `a.b`, and for `from a.b import c, d` the names too: each may be a module of its own. */
const pythonImport = (statement: SyntaxNode): ReadonlyArray<Import> => {
  const from = statement.childForFieldName("module_name")
  const named = statement.namedChildren.filter(
    (child) => child.id !== from?.id && (child.type === "dotted_name" || child.type === "aliased_import")
  )
  const names = named.map((child) => child.childForFieldName("name")?.text ?? child.text)
  return from === null ? names.map(plain) : [{ module: from.text.replace(/\s/g, ""), names }]
}

/** `a::{b, c::{self, d as e}}` as the paths it stands for: `a::b`, `a::c`, `a::c::d`. */
export const expandUse = (tree: string): ReadonlyArray<string> => {
  const text = tree.replace(/\/\/.*$/gm, "").trim()
  const open = text.indexOf("{")
  if (open < 0) {
    const path = text
      .replace(/\s+as\s+\w+$/, "")
      .replace(/\s/g, "")
      .replace(/(?:^|::)(?:self|\*)$/, (all) => (all === "self" ? "self" : ""))
    return path === "" ? [] : [path]
  }
  const prefix = text.slice(0, open).replace(/\s/g, "")
  const inner = text.slice(open + 1, text.lastIndexOf("}"))
  return splitOutside(inner).flatMap((part) => {
    if (part.trim() === "self") return prefix.endsWith("::") ? [prefix.slice(0, -2)] : []
    return expandUse(prefix + part.trim())
  })
}

/** By the commas that stand outside of braces. */
const splitOutside = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const char = text[i]
    if (char === "{") depth++
    else if (char === "}") depth--
    else if (i === text.length || (char === "," && depth === 0)) {
      if (text.slice(start, i).trim() !== "") parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return parts
}

/** `alias Shop.{Cart, Order}` names two modules. */
const elixirModules = (text: string): ReadonlyArray<Import> => {
  const group = /^([\w.]+)\.\{([^}]*)\}/.exec(text)
  if (group === null) return /^[A-Z][\w.]*$/.test(text) ? [plain(text)] : []
  return group[2]!
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^[A-Z]/.test(name))
    .map((name) => plain(`${group[1]}.${name}`))
}

const elixirImport = (call: SyntaxNode): ReadonlyArray<Import> => {
  const target = call.childForFieldName("target")?.text ?? ""
  if (!["alias", "import", "use", "require"].includes(target)) return []
  const module = call.namedChildren.find(({ type }) => type === "arguments")?.namedChildren[0]
  return module === undefined ? [] : elixirModules(module.text.replace(/\s/g, ""))
}

const rubyImport = (call: SyntaxNode): ReadonlyArray<Import> => {
  const method = call.childForFieldName("receiver") === null ? call.childForFieldName("method")?.text : undefined
  const module = literal(firstArgument(call))
  if (module === null || (method !== "require" && method !== "require_relative")) return []
  return [plain(method === "require_relative" && !module.startsWith(".") ? `./${module}` : module)]
}

const rustImport = (item: SyntaxNode): ReadonlyArray<Import> => {
  if (item.type === "use_declaration") return expandUse(item.childForFieldName("argument")?.text ?? "").map(plain)
  // A module with a body is no other file.
  return item.childForFieldName("body") === null ? [plain(`self::${item.childForFieldName("name")?.text}`)] : []
}

const queries: Readonly<Partial<Record<Grammar, ImportQuery>>> = {
  python: { query: "[(import_statement) (import_from_statement)] @statement", read: each(pythonImport) },
  typescript: script,
  tsx: script,
  javascript: script,
  go: {
    query: "(import_spec) @statement",
    read: each((spec) => [plain(spec.childForFieldName("path")?.text.slice(1, -1) ?? "")])
  },
  rust: { query: "[(use_declaration) (mod_item)] @statement", read: each(rustImport) },
  elixir: { query: "(call) @statement", read: each(elixirImport) },
  java: {
    query: "(import_declaration) @statement",
    read: each((node) => [plain(node.text.replace(/^import\s+(?:static\s+)?/, "").replace(/[\s;]/g, ""))])
  },
  ruby: { query: "(call) @statement", read: each(rubyImport) }
}

/** Null for a language whose files name no other files (Swift). */
export const importQueryOf = (grammar: Grammar): ImportQuery | null => queries[grammar] ?? null
