/** Which languages' types are known with what they come from, and how each is read. */

import { type Grammar, grammarOf } from "../domain/change/Grammar.ts"
import type { Fit, HierarchyType, KeyOf } from "../domain/code/Hierarchy.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { goTypes } from "./go/hierarchy.ts"
import { javaTypes } from "./java/hierarchy.ts"
import { pythonTypes } from "./python/hierarchy.ts"
import { rustTypes } from "./rust/hierarchy.ts"
import { scriptTypes } from "./script/hierarchy.ts"

interface HierarchyReader {
  /** Types that are not `named` may be left out. */
  readonly types: (root: SyntaxNode, named?: ReadonlySet<string>) => ReadonlyArray<HierarchyType>
  /** What a type is read from; all that decides about it stands inside. */
  readonly nodes: ReadonlyArray<string>
  /** A text without this has no such type. */
  readonly marks: RegExp
  readonly endings: ReadonlyArray<string>
  readonly fit: Fit
  readonly keyOf: KeyOf
  /** How a text declares a type of this name; the names of files and of packages decide where there is no such form. */
  readonly declares: ((name: string) => RegExp) | null
  /** How a text says that something comes from a type of this name; another text need not be parsed. */
  readonly derives: (name: string) => RegExp
  /** Parents from outside that bring no methods. */
  readonly bare: ReadonlySet<string>
}

const byName: KeyOf = ({ name }) => name
const withCount: KeyOf = ({ name, signature }) => `${name}/${signature?.parameters.length ?? ""}`

const script: HierarchyReader = {
  types: (root) => scriptTypes(root),
  nodes: ["class_declaration", "abstract_class_declaration", "interface_declaration"],
  marks: /\bclass\b|\binterface\b/,
  endings: [".ts", ".tsx", ".mts", ".cts"],
  fit: "assignable",
  keyOf: byName,
  declares: null,
  derives: (name) => new RegExp(`\\b(?:extends|implements)\\b[^{;]{0,600}\\b${RegExp.escape(name)}\\b`),
  bare: new Set(["Object"])
}

const readers: Readonly<Partial<Record<Grammar, HierarchyReader>>> = {
  python: {
    types: pythonTypes,
    nodes: ["class_definition"],
    marks: /^class\b/m,
    endings: [".py"],
    fit: "call",
    keyOf: byName,
    declares: null,
    derives: (name) => new RegExp(`^class \\w+\\([^)]{0,600}\\b${RegExp.escape(name)}\\b`, "m"),
    bare: new Set(["object", "ABC", "abc.ABC", "Generic", "typing.Generic"])
  },
  typescript: script,
  tsx: script,
  go: {
    types: (root) => goTypes(root),
    nodes: ["type_declaration", "method_declaration"],
    marks: /^type\b|^func\s*\(/m,
    endings: [".go"],
    fit: "exact",
    keyOf: byName,
    declares: null,
    derives: (name) => new RegExp(`\\b${RegExp.escape(name)}\\b`),
    bare: new Set()
  },
  rust: {
    types: (root) => rustTypes(root),
    nodes: ["trait_item", "impl_item"],
    marks: /\btrait\b|\bimpl\b/,
    endings: [".rs"],
    fit: "count",
    keyOf: byName,
    derives: (name) => new RegExp(`\\bimpl\\b[^{;]{0,600}\\b${RegExp.escape(name)}\\b[^{;]{0,600}\\bfor\\b`),
    declares: (name) => new RegExp(`\\btrait\\s+${RegExp.escape(name)}\\b`, "g"),
    bare: new Set()
  },
  java: {
    types: (root) => javaTypes(root),
    nodes: ["class_declaration", "interface_declaration", "record_declaration"],
    marks: /\b(?:class|interface|record)\b/,
    endings: [".java"],
    fit: "exact",
    keyOf: withCount,
    derives: (name) => new RegExp(`\\b(?:extends|implements)\\b[^{;]{0,600}\\b${RegExp.escape(name)}\\b`),
    declares: (name) => new RegExp(`\\b(?:class|interface|enum|record)\\s+${RegExp.escape(name)}\\b`, "g"),
    bare: new Set(["Object", "Serializable", "java.io.Serializable", "Cloneable"])
  }
}

/** Null for a file of a language whose types are not known. */
export const hierarchyReaderOf = (path: string): HierarchyReader | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (readers[grammar] ?? null)
}
