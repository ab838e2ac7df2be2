/** Loops that retry forever, without a pause and without counting. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { firstLineOf, partsOf, squeezed } from "../../languages/tree.ts"

/** Code that waits, counts, or checks whether to continue. */
const waitsOrCounts =
  /sleep|delay|(?<!a)wait|backoff|timeout|timer|tick|retr(?:y|ies)|getkey|getch|\.get\(|attempt|tries|count|deadline|input|prompt|readline|recv|receive|accept|select|poll|queue|next|scan|read|random|rand|uuid|\+\+|\+=|-=|\bctx\b|<-|throw|raise|panic|exit/i

/** The check for a language: does an endless loop repeat one operation whenever it fails? */
export const endlessRetry =
  (tries: (loop: SyntaxNode) => boolean): NodeCheck =>
  (claim) =>
    !waitsOrCounts.test(claim.text) && tries(claim) && firstLineOf(claim)

/** The statements in the node's body. */
export const statementsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  return partsOf(node, "body")
}

const logCall = /^(?:[\w.]*\b(?:log|logger|logging|console|warn|error|print|slog)[\w.]*\(.*\);?|continue;?|pass)$/s

/** The failure is only logged. */
export const onlyLogs = (statements: ReadonlyArray<SyntaxNode>): boolean =>
  statements.every((each) => logCall.test(squeezed(each)))

export const leavesAtEnd = (statements: ReadonlyArray<SyntaxNode>): boolean => {
  const last = statements.at(-1)
  return last !== undefined && /^(return|break)_statement$/.test(last.type)
}
