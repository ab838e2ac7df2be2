/**
 * A syntax rule that asks the tree for nodes of a type and decides on each of them in code.
 *
 * A query that describes more than a node has to be compiled, which costs more than all the reading of a small
 * change; nodes by their type alone are found by a walk of the tree, one for all rules of the language.
 */

import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { Claim, RuleFile, SyntaxRule } from "../domain/finding/Rule.ts"
import { caught } from "../languages/tree.ts"

interface Draft extends Omit<SyntaxRule, "_tag" | "stack" | "grammars" | "query" | "check"> {
  /** `(type) @claim`, or `[(one) (other)] @claim`. */
  readonly query: string
  /** Decides on the node that the query claims. */
  readonly check: (claim: SyntaxNode, file: RuleFile) => boolean | Claim
}

/** Makes the rules of one language. */
export const nodeRules =
  (language: Pick<SyntaxRule, "stack" | "grammars">) =>
  ({ check, ...draft }: Draft): SyntaxRule => ({
    _tag: "Syntax",
    ...language,
    ...draft,
    check: (captures, file) => {
      const claim = caught(captures, "claim")
      return claim !== null && check(claim, file)
    }
  })
