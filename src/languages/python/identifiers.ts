import type { SyntaxNode } from "../../domain/code/Syntax.ts"

/** Every identifier in the node, itself included. */
export const identifiers = (node: SyntaxNode | null): ReadonlyArray<SyntaxNode> => {
  if (node === null) return []
  return node.type === "identifier" ? [node] : node.descendantsOfType("identifier")
}
