/** Do two nodes say the same? White space between words does not matter; inside text it does. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { squeezed } from "../../languages/tree.ts"

/** The node's text in the form in which two that say the same are equal. */
export const comparedText = (node: SyntaxNode): string => (/["'`]/.test(node.text) ? node.text : squeezed(node))

export const sameCode = (a: SyntaxNode, b: SyntaxNode): boolean => comparedText(a) === comparedText(b)
