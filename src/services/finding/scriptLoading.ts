/**
 * Follows the imports of a cycle of TypeScript or JavaScript modules as a program does, and reports a name that a module
 * uses before the module that defines it was executed.
 *
 * Nothing is run. Only the modules of the cycle are followed; all others count as executed. In doubt, loading succeeds.
 */
import { Effect } from "effect"
import { wordPlaces } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, lineOf } from "../../languages/tree.ts"
import { isValueUse } from "../../rules/structure/valueUse.ts"
import { Sources } from "../change/Sources.ts"
import type { Edge } from "../code/ImportGraph.ts"
import { type Link, linkOf, NameResolver } from "../code/NameResolver.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees } from "../code/SyntaxTrees.ts"
import type { Setting } from "../code/TypeFinder.ts"

interface LoadTimeUse {
  readonly path: string
  readonly line: number
  readonly name: string
  /** The module that defines the name. */
  readonly from: string
}

/** The first use that fails if one of these modules is loaded before the others. `edges`: the imports between them. */
export const failedScriptLoading = Effect.fnUntraced(function* (edges: ReadonlyArray<Edge>, setting: Setting) {
  const modules = [...new Set(edges.map(({ to }) => to))]
  const imports = Map.groupBy(edges, ({ path }) => path)
  const uses = new Map<string, ReadonlyArray<LoadTimeUse>>()
  for (const path of modules) uses.set(path, yield* loadTimeUses(path, new Set(modules), setting))
  for (const entry of modules) {
    const failed = failureFrom(entry, imports, uses)
    if (failed !== null) return { entry, ...failed }
  }
  return null
})

const failureFrom = (
  entry: string,
  imports: ReadonlyMap<string, ReadonlyArray<Edge>>,
  uses: ReadonlyMap<string, ReadonlyArray<LoadTimeUse>>
): LoadTimeUse | null => {
  const states = new Map<string, "loading" | "executed">()
  const load = (path: string): LoadTimeUse | null => {
    states.set(path, "loading")
    for (const { to } of imports.get(path) ?? []) {
      const failed = states.has(to) ? null : load(to)
      if (failed !== null) return failed
    }
    const failed = uses.get(path)?.find(({ from }) => states.get(from) === "loading")
    states.set(path, "executed")
    return failed ?? null
  }
  return load(entry)
}

/** Names of these modules that the file uses as values when it is loaded. */
const loadTimeUses = Effect.fnUntraced(function* (path: string, modules: ReadonlySet<string>, setting: Setting) {
  const index = yield* SymbolIndex
  const trees = yield* SyntaxTrees
  const found: Array<LoadTimeUse> = []
  for (const imported of (yield* index.uses(path, [])).imports) {
    const { local } = imported
    if (local === "") continue
    const from = yield* definingFile(linkOf(path, imported, setting.sides.head), setting)
    if (from === null || from === path || !modules.has(from)) continue
    const line = yield* trees.head(path, {
      ask: (root, { text }) =>
        wordPlaces(text, local).flatMap((at) => {
          const node = root.descendantForIndex(at, at + local.length)
          return node !== null && isValueUse(node) && isExecutedOnLoad(node) ? [lineOf(node)] : []
        })[0] ?? null
    })
    if (line !== null) found.push({ path, line, name: local, from })
  }
  return found
})

/** The file whose execution defines the name; null for a function declaration, which exists before. */
const definingFile = Effect.fnUntraced(function* (link: Link, { sides: { head } }: Setting) {
  const resolver = yield* NameResolver
  const sources = yield* Sources
  if (link._tag !== "Name") return link._tag === "Module" ? link.path : null
  const found = yield* resolver.provided(link.path, link.name, head)
  if (found._tag !== "Defined") return null
  const source = yield* sources.head(found.path)
  const text = source._tag === "Text" ? source.lines[found.definition.line - 1] : undefined
  return text === undefined || /\bfunction\b/.test(text) ? null : found.path
})

const calledLater = [
  "arrow_function",
  "function_expression",
  "function_declaration",
  "generator_function",
  "generator_function_declaration",
  "method_definition"
]

/** Neither in a function nor the value of a field, and not only passed on by an export. */
const isExecutedOnLoad = (node: SyntaxNode): boolean => {
  const field = enclosing(node, ["public_field_definition", "field_definition"])
  const isStatic = field === null || field.children.some(({ type }) => type === "static")
  return isStatic && enclosing(node, [...calledLater, "export_specifier"]) === null
}
