/**
 * How hard a file is to follow, as one number: each branch, loop, case and handler counts one, and one more for each in
 * which it is; each `and` and `or` counts one. After G. Ann Campbell, "Cognitive Complexity", 2018.
 */
import type { SyntaxNode } from "../domain/code/Syntax.ts"

/** By the names of all grammars. In Elixir, `if` and `for` are calls and are not counted. */
const nesting = new Set(
  `if_statement if_expression if unless if_modifier unless_modifier guard_statement
   conditional_expression ternary_expression conditional
   for_statement for_expression for for_in_statement for_in_clause enhanced_for_statement foreach_statement for_range_loop
   while_statement while_expression while until while_modifier until_modifier
   do_statement do_while_statement loop_expression repeat_while_statement
   switch_case case_clause case_statement expression_case type_case communication_case match_arm when_entry when
   switch_section switch_entry switch_rule switch_block_statement_group switch_expression_arm match_conditional_expression
   stab_clause catch_clause catch_block except_clause except_group_clause rescue rescue_block rescue_modifier`.split(
    /\s+/
  )
)
/** Parts of an `if` that count as it does. */
const flat = new Set(["elif_clause", "elsif", "else_if_clause"])
const operators = new Set(["&&", "||", "and", "or"])

export const complexityOf = (root: SyntaxNode): number => visit(root, 0)

const visit = (node: SyntaxNode, depth: number): number => {
  let sum = 0
  let isAfterElse = false
  for (const child of node.children) {
    const isElseIf = isAfterElse
    isAfterElse = child.type === "else"
    if (!child.isNamed) continue
    if (flat.has(child.type) || (isElseIf && nesting.has(child.type))) sum += Math.max(depth, 1) + visit(child, depth)
    else if (nesting.has(child.type)) sum += 1 + depth + visit(child, depth + 1)
    else sum += (hasOperator(child) ? 1 : 0) + visit(child, depth)
  }
  return sum
}

const hasOperator = ({ children }: SyntaxNode): boolean =>
  children.length === 3 && children[1]?.isNamed === false && operators.has(children[1].type)
