/** Functions on syntax trees for the Rust checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { isComment } from "../../languages/tree.ts"

export const callables = ["function_item", "closure_expression", "async_block"]

/** Is the node under `#[test]` or `#[cfg(test)]`? */
export const inTestCode = (node: SyntaxNode): boolean => {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    for (let mark = at.previousNamedSibling; mark !== null; mark = mark.previousNamedSibling) {
      if (isComment(mark)) continue
      if (mark.type !== "attribute_item") break
      if (/\btest\b/.test(mark.text)) return true
    }
  }
  return false
}
