/** Do two nodes have the same code? White space matters only inside strings. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { squeezed } from "../../languages/tree.ts"

/** The node's text, normalized so that equal code compares equal. */
export const comparedText = (node: SyntaxNode): string => (/["'`]/.test(node.text) ? node.text : squeezed(node))

export const sameCode = (a: SyntaxNode, b: SyntaxNode): boolean => comparedText(a) === comparedText(b)
