/** Do two nodes say the same? White space between words does not matter; inside text it does. */
import type { SyntaxNode } from "../domain/Syntax.ts"
import { squeezed } from "./tree.ts"

export const sameCode = (a: SyntaxNode, b: SyntaxNode): boolean =>
  /["'`]/.test(a.text) ? a.text === b.text : squeezed(a) === squeezed(b)
