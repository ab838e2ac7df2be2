/** Functions on syntax trees for the Go checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { argumentsOf, parts, squeezed, within } from "../../languages/tree.ts"

export const functions = ["function_declaration", "method_declaration", "func_literal"]

export const bodyOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  parts(node).flatMap((child) => (child.type === "statement_list" ? parts(child) : [child]))

export const namesOn = (node: SyntaxNode, field: string): ReadonlyArray<string> =>
  (node.childForFieldName(field)?.namedChildren ?? []).map((name) => name.text)

/** The node of this type whose block in `field` directly contains the statement. */
export const holderOf = (statement: SyntaxNode, type: string, field: string): SyntaxNode | null => {
  const block = statement.parent?.type === "statement_list" ? statement.parent.parent : null
  const holder = block?.parent ?? null
  return holder?.type === type && holder.childForFieldName(field)?.id === block?.id ? holder : null
}

/** The called member as written: `http.Get`; "" if it is not a member. */
export const memberOf = (call: SyntaxNode): string => {
  const called = call.type === "call_expression" ? call.childForFieldName("function") : null
  return called?.type === "selector_expression" ? called.text : ""
}

export const isAssignment = (node: SyntaxNode): boolean =>
  node.type === "short_var_declaration" || node.type === "assignment_statement"

const squeezedCondition = (node: SyntaxNode): string => {
  const condition = node.childForFieldName("condition")
  return condition === null ? "" : squeezed(condition)
}

/** Is it `if name != nil`, without further conditions? */
export const checksError = (node: SyntaxNode, name: string): boolean =>
  node.type === "if_statement" && squeezedCondition(node) === `${name}!=nil`

export const leaves = (node: SyntaxNode | null): boolean => {
  const last = node === null ? undefined : bodyOf(node).at(-1)
  return (
    last !== undefined &&
    (/^(return|continue|break|goto)_statement$/.test(last.type) || /^(panic|os\.Exit|log\.Fatal\w*)\(/.test(last.text))
  )
}

/** The type of the last result as written; null for a function without results. */
export const lastResult = (node: SyntaxNode): string | null => {
  const result = node.childForFieldName("result")
  if (result === null) return null
  if (result.type !== "parameter_list") return result.text
  return parts(result).at(-1)?.childForFieldName("type")?.text ?? null
}

export const literal = (node: SyntaxNode): boolean =>
  /^(interpreted_string_literal|raw_string_literal|int_literal|float_literal|true|false|nil)$/.test(node.type)

/** Is the text built at run time: `a + b` with a part that is not a literal, or fmt.Sprintf with %s or %v? */
export const isBuilt = (node: SyntaxNode): boolean => {
  if (node.type === "binary_expression")
    return within(node, ["identifier", "selector_expression", "call_expression", "index_expression"]).length > 0
  if (node.type !== "call_expression" || node.childForFieldName("function")?.text !== "fmt.Sprintf") return false
  const [format, ...values] = argumentsOf(node)
  return format !== undefined && /%\+?[sv]/.test(format.text) && values.some((value) => !literal(value))
}

export const structOf = (root: SyntaxNode, name: string): SyntaxNode | null =>
  root
    .descendantsOfType("type_spec")
    .find((spec) => spec.childForFieldName("name")?.text === name)
    ?.childForFieldName("type") ?? null

export function isZero(node: SyntaxNode): boolean {
  return /^(nil|""|0|false|[\w.]+\{\})$/.test(node.text)
}

export function isErrorName(node: SyntaxNode): boolean {
  return node.type === "identifier" && /^err$|Err$/.test(node.text)
}
