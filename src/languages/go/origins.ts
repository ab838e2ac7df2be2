/** Where the object of a Go selector comes from, as far as its type is plainly written. Pure. */
import type { Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, parts, spelled, squeezed } from "../tree.ts"

/** How deep an expression is followed. */
const longestPath = 6

export const goOrigin = (node: SyntaxNode | null, depth = 0): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string): Origin | null => {
    const origin = goOrigin(inner, depth + 1)
    return origin === null ? null : { root: origin.root, steps: [...origin.steps, name] }
  }
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
      return step(node.childForFieldName("operand"), node.childForFieldName("field")?.text ?? "")
    case "call_expression": {
      const callee = node.childForFieldName("function")
      if (callee?.type === "identifier") {
        return callee.text === "new" ? madeBy(node) : { root: { _tag: "Value", name: callee.text }, steps: [] }
      }
      if (callee?.type !== "selector_expression") return null
      const operand = callee.childForFieldName("operand")
      const method = callee.childForFieldName("field")?.text ?? ""
      if (operand?.type === "identifier" && bindersOf(operand).length === 0 && isPackage(operand)) {
        return { root: { _tag: "Value", name: `${operand.text}.${method}` }, steps: [] }
      }
      return step(operand, `${method}()`)
    }
    default:
      return null
  }
}

const typed = (type: string): Origin => ({ root: { _tag: "Typed", type }, steps: [] })

/** `new(T)` points to a T. */
const madeBy = (call: SyntaxNode): Origin | null => {
  const list = call.childForFieldName("arguments")
  const [type] = list === null ? [] : parts(list)
  return type === undefined ? null : typed(squeezed(type))
}

const functions = ["function_declaration", "method_declaration", "func_literal"]

/** Is a package imported under this name? */
const isPackage = (node: SyntaxNode): boolean => {
  let root = node
  while (root.parent !== null) root = root.parent
  return root.namedChildren.some(
    ({ type, text }) =>
      type === "import_declaration" && new RegExp(`(?:\\b${node.text}\\s+"|[/"]${node.text}(?:/v\\d+)?")`).test(text)
  )
}

/** Every place in the nearest block or function that binds the name; none for a name of the package. */
const bindersOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  let around: SyntaxNode | null = null
  for (let at = enclosing(node, functions); at !== null; at = enclosing(at, functions)) around = at
  const binders = around === null ? [] : spelled(around, ["identifier"], node.text).filter(isDeclared)
  for (let at = binders.length === 0 ? null : enclosing(node, scopes); at !== null; at = enclosing(at, scopes)) {
    const scope = at.id
    const own = binders.filter((binder) => enclosing(binder, scopes)?.id === scope)
    if (own.length > 0) return own
  }
  return []
}

/** Where a name that is declared inside ends. */
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

const isDeclared = (word: SyntaxNode): boolean => {
  const parent = word.parent
  if (parent === null) return false
  if (/^(?:variadic_)?parameter_declaration$|^(?:const|var)_spec$/.test(parent.type)) {
    return parent.childForFieldName("type")?.id !== word.id && parent.childForFieldName("value")?.id !== word.id
  }
  const list = parent.type === "expression_list" ? parent : word
  const holder = list.parent
  if (/^(?:short_var_declaration|range_clause|receive_statement)$/.test(holder?.type ?? "")) {
    return holder?.childForFieldName("left")?.id === list.id
  }
  return holder?.type === "type_switch_statement" && holder.childForFieldName("alias")?.id === list.id
}

/** A variable that one place declares, or that several declare alike; else a variable of the package. */
const nameOrigin = (node: SyntaxNode, depth: number): Origin | null => {
  const binders = bindersOf(node)
  const origins = binders.map((binder) => binderOrigin(binder, depth))
  const [first] = origins
  if (first === undefined) return { root: { _tag: "Value", name: node.text }, steps: [] }
  return origins.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : null
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
  // `x, err := New()`: the first of several values is the one whose type is known.
  const value = given.length === names.length ? given[at] : at === 0 && given.length === 1 ? given[0] : undefined
  return value === undefined ? null : goOrigin(value, depth + 1)
}

/** `for _, each := range all`: the second name is an element; the first is one of a channel alone. */
const elementOrigin = (binder: SyntaxNode, clause: SyntaxNode, depth: number): Origin | null => {
  const left = clause.childForFieldName("left")
  const names = left?.type === "expression_list" ? parts(left) : [binder]
  if (names.findIndex(({ id }) => id === binder.id) !== 1) return null
  const all = goOrigin(clause.childForFieldName("right"), depth + 1)
  return all === null ? null : { root: all.root, steps: [...all.steps, "[]"] }
}
