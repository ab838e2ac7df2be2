/** Pages that a server builds from values without the escaping of its templates. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"

const escapes = /escape|sanitiz|bleach|clean|translate|static|url_for|gettext|strip_tags|json\.dumps/i

/** The check for a language: does the call mark an interpolated text as safe? */
export const htmlFromValues =
  (marksSafe: (call: SyntaxNode) => boolean): NodeCheck =>
  (claim) =>
    claim.endIndex - claim.startIndex < 600 && !escapes.test(claim.text) && marksSafe(claim)
