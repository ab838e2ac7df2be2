/** Finds the identifiers of a Go file that are declarations. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { Scopes } from "../scopes.ts"
import { isField } from "../tree.ts"

export const goScopes: Scopes = {
  limits: [
    "block",
    "function_declaration",
    "method_declaration",
    "func_literal",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "expression_case",
    "type_case",
    "default_case",
    "communication_case",
    "function_type",
    "method_elem",
    "type_spec",
    "type_alias"
  ],
  after: ["short_var_declaration", "var_spec", "const_spec", "range_clause", "receive_statement"]
}

/** The names in a declaration of parameters, results, constants or variables. */
export const declaredNames = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  node.namedChildren.filter((child) => child.type === "identifier" && !isField(node, "type", child))

/** `*T[K]` is T. */
export const receiverType = (method: SyntaxNode): string => {
  const text = method.childForFieldName("receiver")?.namedChildren[0]?.childForFieldName("type")?.text ?? ""
  return /^[*(\s]*(\w+)/.exec(text)?.[1] ?? ""
}

export const isBinding = (node: SyntaxNode): boolean => {
  const parent = node.parent
  if (parent === null) return false
  const isType = isField(parent, "type", node)
  if (/^(?:variadic_)?parameter_declaration$|^type_parameter_declaration$/.test(parent.type)) {
    // An unnamed parameter is only a type.
    return !isType && parent.childForFieldName("name") !== null
  }
  if (parent.type === "const_spec" || parent.type === "var_spec") return !isType
  const list = parent.type === "expression_list" ? parent : node
  const holder = list.parent
  if (/^(?:short_var_declaration|range_clause|receive_statement)$/.test(holder?.type ?? "")) {
    return isField(holder, "left", list)
  }
  return holder?.type === "type_switch_statement" && isField(holder, "alias", list)
}
