import { qualifiedName } from "../../code/CodeQuery.ts"
import { compareText } from "../../text/compareText.ts"
import type { FileVersion, Item } from "./definitionItems.ts"
import { type Header, headerOf } from "./Header.ts"

/** `export` and the like; otherwise the words of the language. */
export const visibilityOf = (item: Item, header: Header | null): string | null =>
  exportOf(item) ??
  declaredVisibility(item, header) ??
  (header === null ? null : (unsaid[item.of.syntax.family] ?? null))

/** What a definition without a word for it is, where this is the same for all. */
const unsaid: Partial<Record<string, string>> = { swift: "internal", kotlin: "public", php: "public" }

export const declaredVisibility = (item: Item, header: Header | null): string | null => {
  const {
    definition,
    kind,
    of: { syntax },
    version
  } = item
  if (syntax.family === "rust" && definition.container !== null) {
    // A method in a trait can be used like the trait.
    const trait = version.symbols.definitions.find(
      ({ endLine, line, name }) =>
        name === definition.container && line < definition.line && definition.endLine <= endLine
    )
    if (kind === "method" && trait?.visibility !== undefined) return trait.visibility
  }
  if (definition.visibility !== undefined) return definition.visibility
  if (syntax.family === "rust" && kind === "field" && header !== null && definition.shape === "")
    return !header.modifiers.has("pub") ? "private" : header.modifiers.has("restricted") ? "internal" : "public"
  if (syntax.family === "elixir" && header !== null)
    return header.modifiers.has("defp") || header.modifiers.has("defmacrop") ? "private" : "public"
  return (
    ["public", "private", "protected", "internal", "fileprivate", "open"].find((word) => header?.modifiers.has(word)) ??
    null
  )
}

/** Of a top-level definition of a module with exports: whether, and by which other names. */
export const exportOf = ({ definition: { container, name }, version: { symbols } }: Item): string | null => {
  if (container !== null || symbols.exports === null || symbols.open) return null
  const names = symbols.exports.flatMap((each) => (each.local === name && each.from === null ? [each.name] : []))
  if (names.length === 0) return "not exported"
  const isOnlyItself = names.every((each) => each === name)
  return isOnlyItself ? "exported" : `exported as ${[...new Set(names)].sort(compareText).join(", ")}`
}

export const isPublic = (item: Item, header: Header | null): boolean => {
  const { definition, of, version } = item
  const path = qualifiedName(definition)
  const names = path.split(".")
  const { family } = of.syntax
  if (family === "go") return names.every((name) => /^\p{Lu}/u.test(name))
  if (family === "python" || family === "ruby") {
    if (names.some((name) => name.startsWith("_") && !/^__\w+__$/.test(name))) return false
  }
  if (names.some((name) => name.startsWith("#"))) return false
  const { exports, open } = version.symbols
  if (exports !== null && !(open && exports.length === 0)) {
    const top = names[0]
    if (!exports.some(({ local }) => local === top)) return false
  } else if (open && exports !== null && !isAssignedToExports(version, names[0] ?? "")) return false
  const visible = declaredVisibility(item, header)
  if (family === "c" && header?.modifiers.has("static") === true) return false
  const isMember = definition.container !== null
  if (visible === null && family === "csharp" && isMember && !hasOpenMembers(item)) return false
  return (visible === null || /^(?:public|protected|open)$/.test(visible)) && !isInPrivateType(item)
}

/** Directly or not. */
const isInPrivateType = (item: Item): boolean => {
  const { definition, of, version } = item
  const outer = version.symbols.definitions.find((each) => qualifiedName(each) === definition.container)
  if (outer === undefined) return false
  const around = { ...item, definition: outer, kind: outer.kind }
  const visible = declaredVisibility(around, headerOf(outer, version.lines, of.syntax))
  return visible === "private" || visible === "fileprivate" || isInPrivateType(around)
}

/** The members of an enumeration and of an interface of C# have its visibility. */
const hasOpenMembers = ({ definition: { container }, version: { lines, symbols } }: Item): boolean =>
  symbols.definitions.some(
    (each) => qualifiedName(each) === container && /\b(?:enum|interface)\b/.test(lines[each.line - 1] ?? "")
  )

/** CommonJS: is the name in an assignment to `module.exports` or `exports`? */
const isAssignedToExports = ({ lines }: FileVersion, name: string): boolean => {
  const text = lines.join("\n")
  const whole = /(?<![\w$])module\.exports\s*=\s*(\{[^}]*\}|[^\n]*)/.exec(text)?.[1] ?? ""
  const word = `(?<![\\w$.])${RegExp.escape(name)}(?![\\w$])`
  // `app = exports = module.exports = {}`, and a function without a name of its own.
  const isWhole = name === "exports" || new RegExp(`${word}\\s*=\\s*(?:exports\\s*=\\s*)?module\\.exports`).test(text)
  return isWhole || new RegExp(word).test(whole) || text.includes(`exports.${name} =`)
}
