/** How each language names what a file needs: a query for its import statements, and how to read a match. */
import type { Import } from "../domain/ImportResolution.ts"
import type { Captures, Grammar, SyntaxNode } from "../domain/Syntax.ts"

export interface ImportQuery {
  readonly query: string
  readonly read: (captures: Captures) => ReadonlyArray<Import>
}

const plain = (module: string): Import => ({ module, names: [] })

const each =
  (capture: string, read: (node: SyntaxNode) => ReadonlyArray<Import>) =>
  (captures: Captures): ReadonlyArray<Import> =>
    (captures[capture] ?? []).flatMap(read)

const fragment = each("module", (node) => [plain(node.text)])

const script: ImportQuery = {
  query: `
    (import_statement source: (string (string_fragment) @module))
    (export_statement source: (string (string_fragment) @module))
    (call_expression function: (import) arguments: (arguments . (string (string_fragment) @module)))
    (call_expression function: (identifier) @callee arguments: (arguments . (string (string_fragment) @module)) (#eq? @callee "require"))
  `,
  read: fragment
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

const queries: Readonly<Partial<Record<Grammar, ImportQuery>>> = {
  python: {
    query: "[(import_statement) (import_from_statement)] @statement",
    read: each("statement", pythonImport)
  },
  typescript: script,
  tsx: script,
  javascript: script,
  go: {
    query: "(import_spec path: (interpreted_string_literal) @module)",
    read: each("module", (node) => [plain(node.text.slice(1, -1))])
  },
  rust: {
    query: "(use_declaration argument: (_) @use) (mod_item name: (identifier) @mod !body)",
    read: (captures) => [
      ...each("use", (node) => expandUse(node.text).map(plain))(captures),
      ...each("mod", (node) => [plain(`self::${node.text}`)])(captures)
    ]
  },
  elixir: {
    query: `(call target: (identifier) @kind (arguments . [(alias) (dot)] @module) (#any-of? @kind "alias" "import" "use" "require"))`,
    read: each("module", (node) => elixirModules(node.text.replace(/\s/g, "")))
  },
  java: {
    query: "(import_declaration) @statement",
    read: each("statement", (node) => [plain(node.text.replace(/^import\s+(?:static\s+)?/, "").replace(/[\s;]/g, ""))])
  },
  ruby: {
    query: `(call !receiver method: (identifier) @method arguments: (argument_list . (string (string_content) @module)) (#any-of? @method "require_relative" "require"))`,
    read: (captures) => {
      const relative = captures.method?.[0]?.text === "require_relative"
      return each("module", (node) => [plain(relative && !node.text.startsWith(".") ? `./${node.text}` : node.text)])(
        captures
      )
    }
  }
}

/** Null for a language whose files name no other files (Swift). */
export const importQueryOf = (grammar: Grammar): ImportQuery | null => queries[grammar] ?? null
