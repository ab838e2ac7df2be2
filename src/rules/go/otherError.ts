/** Go: an error is tested, and another one is returned. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import {
  ancestors,
  firstLineOf,
  hasComment,
  lineOf,
  mentions,
  parts,
  relatedPlace,
  squeezed
} from "../../languages/tree.ts"

const isErrorName = (name: string): boolean => /^err\d*$|Err$|Error$|^err[A-Z]/.test(name)

export const otherErrorReturned: NodeCheck = (claim) => {
  const condition = claim.childForFieldName("condition")
  const body = claim.childForFieldName("consequence")
  const tested = condition === null ? undefined : /^(\w+)!=nil$/.exec(squeezed(condition))?.[1]
  if (body === null || tested === undefined || !isErrorName(tested) || mentions(body, tested)) return false
  // A comment in the body may have the reason.
  if (hasComment(body) || parts(body).some(hasComment)) return false
  const statements = parts(body).flatMap(
    (each): ReadonlyArray<SyntaxNode> => (each.type === "statement_list" ? parts(each) : [each])
  )
  const last = statements.at(-1)
  const returned = last?.type === "return_statement" ? parts(last)[0] : undefined
  const value = returned?.type === "expression_list" ? parts(returned).at(-1) : returned
  if (
    value?.type !== "identifier" ||
    !isErrorName(value.text) ||
    /orig|first|last|prev|saved/i.test(value.text) ||
    last === undefined
  )
    return false
  // Given a value in the body, or known to be an error already.
  if (statements.some((each) => each.id !== last.id && mentions(each, value.text))) return false
  if (!mayBeNil(claim, value.text)) return false
  for (const around of ancestors(claim, ["if_statement"])) {
    if (new RegExp(`\\b${value.text}\\s*!=\\s*nil`).test(around.childForFieldName("condition")?.text ?? ""))
      return false
  }
  return {
    ...firstLineOf(last),
    description: `\`${tested}\` is tested on line ${lineOf(claim)}, but \`${value.text}\` is returned.`,
    related: [relatedPlace(claim, "another error is tested")]
  }
}

const functions = ["function_declaration", "method_declaration", "func_literal"]

/**
 * Is it a result of the function, or did it get the result of a call? A variable of the package, and one that was given a
 * new error, is an error by itself.
 */
const mayBeNil = (claim: SyntaxNode, name: string): boolean =>
  [...ancestors(claim, functions)].some((around) => {
    if (new RegExp(`\\b${name}\\b[\\w\\s,]*\\berror\\b`).test(around.childForFieldName("result")?.text ?? ""))
      return true
    const above = around.text.slice(0, claim.startIndex - around.startIndex)
    return [...above.matchAll(new RegExp(`\\b${name}\\b(?:\\s*,\\s*\\w+)*\\s*:?=(?!=)\\s*(.*)`, "g"))].some(
      ([, given = ""]) =>
        given.includes("(") &&
        !/^(?:fmt\.Errorf|errors\.\w+|&|(?:\w+\.)*[nN]ew\w*Err\w*\(|(?:\w+\.)+Errorf?\()/.test(given)
    )
  })
