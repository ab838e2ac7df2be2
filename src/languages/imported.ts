/** Finds import statements in a tree and builds their symbols. */
import type { ImportedName } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { enclosing, lineOf } from "./tree.ts"

/** The maximum number of import statements in one text, which may be the statements of many files. */
const mostImports = 20_000

/** The matches of the pattern, at most `mostImports`. */
export const statementsIn = (root: SyntaxNode, pattern: RegExp): ReadonlyArray<RegExpExecArray> =>
  Array.from(root.text.matchAll(pattern).take(mostImports))

export const imported = (
  node: SyntaxNode,
  module: string,
  name: string | null,
  local: string,
  guarded = false
): ImportedName => ({
  module,
  name,
  local,
  line: lineOf(node),
  guarded,
  ...(isInner(node) ? { inner: true as const } : {})
})

/** Is the import in a function? */
export const isInner = (node: SyntaxNode): boolean =>
  enclosing(node, ["function_definition", "function_item", "closure_expression"]) !== null
