/** Functions on syntax trees for the Swift checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { childOf, enclosing, fieldOf, within } from "../../languages/tree.ts"

export const functions = ["function_declaration", "init_declaration", "deinit_declaration", "lambda_literal"]

export const typeOf = (node: SyntaxNode): SyntaxNode | null =>
  enclosing(node, ["class_declaration", "protocol_declaration"])

/** `class`, `struct`, `enum`, `actor` or `extension`. */
export const kindOf = (declaration: SyntaxNode): string =>
  declaration.children.find((child) => ["class", "struct", "enum", "actor", "extension"].includes(child.type))?.type ??
  "protocol"

export const modifiersOf = (declaration: SyntaxNode): string => childOf(declaration, "modifiers")?.text ?? ""

/** The name of what is called, as written. */
export const calleeOf = (call: SyntaxNode): string =>
  call.type === "call_expression" ? (call.namedChildren[0]?.text ?? "").replace(/\s+/g, "") : ""

/** The called member as written; "" if it is not a member. */
export const memberOf = (call: SyntaxNode): string => childOf(call, "navigation_expression")?.text ?? ""

/** The arguments of a call, with parentheses and trailing closure. */
export const suffixOf = (call: SyntaxNode): string => childOf(call, "call_suffix")?.text ?? ""

export const usesSelf = (literal: SyntaxNode): boolean => within(literal, ["self_expression"]).length > 0

export const capturesOf = (literal: SyntaxNode): string =>
  childOf(literal, "capture_list")?.text ?? /^\{\s*(\[[^\]]*\])[^\]]*\bin\b/.exec(literal.text)?.[1] ?? ""

/** `x!` */
export const isForced = (expression: SyntaxNode): boolean => fieldOf(expression, "operation", "bang") !== null

export function isExample(path: string): boolean {
  return /(^|\/)(Tests?|Examples?|Samples?|Demo|Playgrounds?|Mocks?|Previews?)(\/|\w*\.playground)|Tests?\.swift$|Preview|Mock/.test(
    path
  )
}
