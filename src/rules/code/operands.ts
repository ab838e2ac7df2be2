/** The same operand twice in a row of `&&` or `||`. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { firstLineOf, lineOf, relatedPlace, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { sameCode } from "../shared/sameCode.ts"

const logical = /^(&&|\|\||and|or)$/

const operandsOf = (node: SyntaxNode, operator: string): ReadonlyArray<SyntaxNode> =>
  textOf(node, "operator") !== operator
    ? [node]
    : ["left", "right"].flatMap((side) => {
        const child = node.childForFieldName(side)
        return child === null ? [] : operandsOf(child, operator)
      })

export const operandChecks: NodeChecks = {
  "operand-repeated": (claim) => {
    const operator = textOf(claim, "operator")
    // The outermost node has all operands.
    if (!logical.test(operator) || textOf(claim.parent, "operator") === operator) return false
    const operands = operandsOf(claim, operator)
    for (const [at, operand] of operands.entries()) {
      // A call may return another value the second time.
      if (/\+\+|--|\blet\b|[\w\])!]\s*\(|\bawait\b/.test(operand.text)) continue
      const earlier = operands.slice(0, at).find((other) => sameCode(other, operand))
      if (earlier === undefined) continue
      return {
        ...firstLineOf(operand),
        description: `\`${operand.text.replace(/\s+/g, " ").slice(0, 80)}\` is an operand of the same \`${operator}\` on line ${lineOf(earlier)} already.`,
        related: [relatedPlace(earlier, "the same operand")]
      }
    }
    return false
  }
}
