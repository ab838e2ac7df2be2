/** How import statements are found in a tree, and written down. */
import type { ImportedName } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { lineOf } from "./tree.ts"

/** So many import statements of one text are read, which may be those of many files together. */
const mostImports = 20_000

/** The matches of the pattern, bounded for a text that consists of nothing else. */
export const statementsIn = (root: SyntaxNode, pattern: RegExp): ReadonlyArray<RegExpExecArray> =>
  Array.from(root.text.matchAll(pattern).take(mostImports))

export const imported = (
  node: SyntaxNode,
  module: string,
  name: string | null,
  local: string,
  guarded = false
): ImportedName => ({ module, name, local, line: lineOf(node), guarded })
