/** How Rust and Java name the files they need, by whole paths: nodes of a syntax tree, and how to read one. */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"

export interface ImportStatements {
  /** Types of the nodes to read. */
  readonly types: ReadonlyArray<string>
  /** Modules, as the statement names them. */
  readonly read: (statement: SyntaxNode) => ReadonlyArray<string>
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

const rustImport = (item: SyntaxNode): ReadonlyArray<string> => {
  if (item.type === "use_declaration") return expandUse(item.childForFieldName("argument")?.text ?? "")
  // A module with a body is no other file.
  return item.childForFieldName("body") === null ? [`self::${item.childForFieldName("name")?.text}`] : []
}

const languages: Readonly<Partial<Record<Grammar, ImportStatements>>> = {
  rust: { types: ["use_declaration", "mod_item"], read: rustImport },
  java: {
    types: ["import_declaration"],
    read: (node) => [node.text.replace(/^import\s+(?:static\s+)?/, "").replace(/[\s;]/g, "")]
  }
}

/** Null for a language whose files name no other files (Swift), and for those that name a file and what is in it apart. */
export const importStatementsOf = (grammar: Grammar): ImportStatements | null => languages[grammar] ?? null
