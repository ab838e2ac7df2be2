/** Functions on syntax trees for the TypeScript, JavaScript and React checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { parts, textOf } from "../../languages/tree.ts"
import { callReader } from "../shared/calls.ts"
import { rememberedFor } from "../shared/rememberedFor.ts"

export const functions = [
  "function_declaration",
  "function_expression",
  "arrow_function",
  "method_definition",
  "generator_function_declaration",
  "generator_function"
]

/** The nodes at which a search for statements that run together ends: functions and class bodies. */
export const scopes = [...functions, "class_body"]

export const isAsync = (definition: SyntaxNode): boolean => definition.children.some((child) => child.type === "async")

/** The expression without parentheses and type assertions around it. */
export const bare = (node: SyntaxNode): SyntaxNode => {
  let at = node
  while (/^(parenthesized_expression|as_expression|satisfies_expression|non_null_expression)$/.test(at.type)) {
    const inner = parts(at)[0]
    if (inner === undefined) return at
    at = inner
  }
  return at
}

/** The text of a string literal; null for anything else. */
export const plainString = (node: SyntaxNode | null): string | null =>
  node?.type === "string" ? node.text.slice(1, -1) : null

export const typeofResults = ["undefined", "object", "boolean", "number", "bigint", "string", "symbol", "function"]

/** Is it a literal, or a template without interpolation? */
export const isConstant = (node: SyntaxNode): boolean =>
  /^(string|number|true|false|null|undefined|regex)$/.test(node.type) ||
  (node.type === "template_string" && !node.namedChildren.some(({ type }) => type === "template_substitution"))

/** Every identifier in the node, including the node itself, without property names. */
export const identifiers = (node: SyntaxNode | null): ReadonlyArray<SyntaxNode> => {
  if (node === null) return []
  const kinds = ["identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"]
  return kinds.includes(node.type) ? [node] : node.descendantsOfType(kinds)
}

export const callOf = callReader({ member: "member_expression", field: "property", list: "arguments" })

/** The first argument of the call, if it is a function literal. */
export const callbackOf = (node: SyntaxNode): SyntaxNode | null => {
  const [first] = callOf(node).args
  return first !== undefined && /^(arrow_function|function_expression)$/.test(first.type) ? first : null
}

interface Operation {
  readonly left: SyntaxNode | null
  readonly operator: string
  readonly right: SyntaxNode | null
}

/** The parts of a binary expression or an assignment. */
export const operationOf = rememberedFor(
  (node: SyntaxNode): Operation => ({
    left: node.childForFieldName("left"),
    operator: textOf(node, "operator"),
    right: node.childForFieldName("right")
  })
)

/** A statement's only expression. */
export const expressionOf = (statement: SyntaxNode | null): SyntaxNode | null =>
  statement === null ? null : (parts(statement)[0] ?? null)
