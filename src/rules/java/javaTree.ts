/** Functions on syntax trees for the Java checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { childOf, enclosing, fieldOf, nameOf, parts, textOf, within } from "../../languages/tree.ts"

export const methods = ["method_declaration", "constructor_declaration", "lambda_expression"]

export const classes = ["class_declaration", "enum_declaration", "record_declaration", "interface_declaration"]

export const classBodies = ["class_body", "enum_body", "interface_body"]

const declaredNames = (node: SyntaxNode): ReadonlyArray<string> =>
  node.type === "local_variable_declaration"
    ? node.namedChildren.flatMap((child) => child.childForFieldName("name")?.text ?? [])
    : [nameOf(node)]

const dimensionsOf = (node: SyntaxNode, name: string): string => {
  const declarator = node.namedChildren.find((child) => child.childForFieldName("name")?.text === name)
  return (declarator ?? node).childForFieldName("dimensions")?.text ?? ""
}

export const typeWithin = (node: SyntaxNode, name: string): string | null => {
  const found = within(node, ["local_variable_declaration", "formal_parameter", "resource"], classBodies)
    .filter((one) => declaredNames(one).includes(name))
    .map((one) => `${textOf(one, "type")}${dimensionsOf(one, name)}`)
  // Variables of the same name in a method may have different types.
  return found.length > 0 && found.every((type) => type === found[0]) ? (found[0] ?? null) : null
}

/** The declared type of a local variable or a parameter of the surrounding method, as written; null if unknown. */
export const declaredType = (variable: SyntaxNode): string | null => {
  const owner = enclosing(variable, ["method_declaration", "constructor_declaration"], classBodies)
  return variable.type === "identifier" && owner !== null ? typeWithin(owner, variable.text) : null
}

/** The text of a chain of `+`, with a NUL for each value that is neither a literal nor a constant by its name. */
export function flattened(node: SyntaxNode): string {
  if (node.type === "binary_expression") {
    const left = node.childForFieldName("left")
    const right = node.childForFieldName("right")
    return (left === null ? "" : flattened(left)) + (right === null ? "" : flattened(right))
  }
  if (node.type === "string_literal") return node.text.replace(/^"+|"+$/g, "").replace(/\\n/g, " ")
  if (node.type === "parenthesized_expression") return parts(node).map(flattened).join("")
  if (/^(\w+\.)*[A-Z][A-Z0-9_]*$/.test(node.text) || /escape|quote|\.replace\(/i.test(node.text)) return "x"
  return node.type.endsWith("_literal") ? node.text : "\u0000"
}

/** The object that a synchronized statement locks. */
export const lockOf = (statement: SyntaxNode): SyntaxNode | null => {
  const head = childOf(statement, "parenthesized_expression")
  return head === null ? null : (parts(head)[0] ?? null)
}

/** The type, the variable and the body of a catch clause; null if one is missing. */
export const catchOf = (clause: SyntaxNode) => {
  const parameter = childOf(clause, "catch_formal_parameter")
  const type = parameter === null ? null : childOf(parameter, "catch_type")
  const name = parameter === null ? null : fieldOf(parameter, "name", "identifier")
  const body = clause.childForFieldName("body")
  return type === null || name === null || body === null ? null : { type: type.text, name: name.text, body }
}
