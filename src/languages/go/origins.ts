/** The origin of the object of a Go selector, if its type is plain. */
import type { Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { followed, named, sharedOrigin, typed } from "../origins.ts"
import { ancestors, argumentsOf, enclosing, outermost, parts, rootOf, spelled, squeezed, textOf } from "../tree.ts"
import { isBinding } from "./names.ts"

/** The maximum depth of a resolved expression. */
const longestPath = 6

export const goOrigin = (node: SyntaxNode | null, depth = 0): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string) => followed(goOrigin(inner, depth + 1), name)
  switch (node.type) {
    case "identifier":
      return nameOrigin(node, depth)
    case "parenthesized_expression":
      return goOrigin(node.namedChildren[0] ?? null, depth + 1)
    case "unary_expression":
      return /^[&*]/.test(node.text) ? goOrigin(node.childForFieldName("operand"), depth + 1) : null
    case "composite_literal":
    case "type_assertion_expression": {
      const type = node.childForFieldName("type")
      return type === null ? null : typed(squeezed(type))
    }
    case "index_expression":
      return step(node.childForFieldName("operand"), "[]")
    case "selector_expression":
      return step(node.childForFieldName("operand"), textOf(node, "field"))
    case "call_expression": {
      const callee = node.childForFieldName("function")
      if (callee?.type === "identifier") {
        return callee.text === "new" ? newType(node) : named(callee.text)
      }
      if (callee?.type !== "selector_expression") return null
      const operand = callee.childForFieldName("operand")
      const method = textOf(callee, "field")
      if (operand?.type === "identifier" && bindersOf(operand).length === 0 && isPackage(operand)) {
        return named(`${operand.text}.${method}`)
      }
      return step(operand, `${method}()`)
    }
    default:
      return null
  }
}

/** `new(T)` points to a T. */
const newType = (call: SyntaxNode): Origin | null => {
  const [type] = argumentsOf(call)
  return type === undefined ? null : typed(squeezed(type))
}

const functions = ["function_declaration", "method_declaration", "func_literal"]

/** Is a package imported under this name? */
const isPackage = (node: SyntaxNode): boolean =>
  rootOf(node).namedChildren.some(
    ({ type, text }) =>
      type === "import_declaration" && new RegExp(`(?:\\b${node.text}\\s+"|[/"]${node.text}(?:/v\\d+)?")`).test(text)
  )

/** All bindings of the name in the nearest block or function; none for a name of the package. */
const bindersOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const around = outermost(node, functions)
  const binders = around === null ? [] : spelled(around, ["identifier"], node.text).filter(isBinding)
  for (const { id } of binders.length === 0 ? [] : ancestors(node, scopes)) {
    const own = binders.filter((binder) => enclosing(binder, scopes)?.id === id)
    if (own.length > 0) return own
  }
  return []
}

/** The nodes that limit the scope of a name. */
const scopes = [
  ...functions,
  "block",
  "if_statement",
  "for_statement",
  "expression_switch_statement",
  "type_switch_statement",
  "select_statement",
  "expression_case",
  "type_case",
  "communication_case",
  "default_case"
]

/** The origin of a variable whose declarations have the same origin; else a variable of the package. */
const nameOrigin = (node: SyntaxNode, depth: number): Origin | null => {
  const origins = bindersOf(node).map((binder) => binderOrigin(binder, depth))
  return origins.length === 0 ? named(node.text) : sharedOrigin(origins)
}

const binderOrigin = (binder: SyntaxNode, depth: number): Origin | null => {
  const parent = binder.parent
  if (parent === null) return null
  if (/^(?:parameter_declaration|var_spec)$/.test(parent.type)) {
    const type = parent.childForFieldName("type")
    if (type !== null) return typed(squeezed(type))
  }
  const declaration = parent.type === "expression_list" ? parent.parent : parent
  if (declaration?.type === "range_clause") return elementOrigin(binder, declaration, depth)
  if (!/^(?:short_var_declaration|var_spec)$/.test(declaration?.type ?? "")) return null
  const values = declaration?.childForFieldName("right") ?? declaration?.childForFieldName("value")
  const given = values == null ? [] : values.type === "expression_list" ? parts(values) : [values]
  const names = parent.type === "expression_list" ? parts(parent) : [binder]
  const at = names.findIndex(({ id }) => id === binder.id)
  // `x, err := New()`: only the type of the first value is known.
  const value = given.length === names.length ? given[at] : at === 0 && given.length === 1 ? given[0] : undefined
  return value === undefined ? null : goOrigin(value, depth + 1)
}

/** `for _, each := range all`: the second name is an element; the first one is an element only of a channel. */
const elementOrigin = (binder: SyntaxNode, clause: SyntaxNode, depth: number): Origin | null => {
  const left = clause.childForFieldName("left")
  const names = left?.type === "expression_list" ? parts(left) : [binder]
  if (names.findIndex(({ id }) => id === binder.id) !== 1) return null
  return followed(goOrigin(clause.childForFieldName("right"), depth + 1), "[]")
}
