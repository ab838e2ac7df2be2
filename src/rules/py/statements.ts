/** Python: statements that have no effect because something was not called. */
import { enclosing, lineOf, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { expressionOf } from "./pythonTree.ts"

/** Methods that are called for what they do, so their name alone is never a statement. */
const acts =
  /^(assert_(called|called_once|called_with|called_once_with|any_call|has_calls|not_called|awaited|awaited_once|not_awaited)|close|flush|commit|rollback|clear|start|stop|cancel|shutdown|acquire|release|save|delete|reset|connect|disconnect|abort|terminate|kill)$/

export const statementChecks: NodeChecks = {
  "method-not-called": (claim) => {
    const member = expressionOf(claim)
    if (member?.type !== "attribute" || !acts.test(textOf(member, "attribute"))) return false
    // Reading it may be what is expected to raise.
    if (enclosing(claim, ["with_statement", "try_statement"], ["function_definition"]) !== null) return false
    return {
      line: lineOf(claim),
      description: `\`${member.text}\` only names the method; the parentheses are missing.`
    }
  }
}
