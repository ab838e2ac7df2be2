/** The origin of the object of a TypeScript member, if its class is plain. */
import type { Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { followed, lookedUp, named, newTrail, returnedOrigin, type Trail, typed } from "../origins.ts"
import type { Scopes } from "../scopes.ts"
import { ancestors, enclosing, isField, marked, outermost, parts, spelled, squeezed, textOf } from "../tree.ts"

/** The maximum depth of a resolved expression. */
const longestPath = 8

export const scriptOrigin = (node: SyntaxNode | null, depth = 0, trail = newTrail()): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string) => followed(scriptOrigin(inner, depth + 1, trail), name)
  switch (node.type) {
    case "this": {
      const type = classAround(node)
      return type === null ? null : typed(type)
    }
    case "identifier":
      return nameOrigin(node, depth, trail)
    case "member_expression":
      return step(node.childForFieldName("object"), textOf(node, "property"))
    case "parenthesized_expression":
    case "non_null_expression":
      return scriptOrigin(node.namedChildren[0] ?? null, depth + 1, trail)
    case "subscript_expression":
      return step(node.childForFieldName("object"), "[]")
    case "await_expression":
      return step(node.namedChildren[0] ?? null, "?")
    case "as_expression":
      return typed(squeezed(node.namedChildren[1] ?? node))
    case "new_expression": {
      const made = node.childForFieldName("constructor")
      return made?.type === "identifier" && bindersOf(made).length === 0
        ? typed(`${made.text}${argumentsOf(node)}`)
        : null
    }
    case "call_expression": {
      const callee = node.childForFieldName("function")
      if (callee?.type === "identifier") {
        const local = bindersOf(callee)
        return local.length === 0 ? named(callee.text) : localResult(local)
      }
      if (callee?.type !== "member_expression") return null
      return step(callee.childForFieldName("object"), `${textOf(callee, "property")}()`)
    }
    default:
      return null
  }
}

/** The type of a declaration's value: its annotation, or the class it is created from. */
export const declaredType = (node: SyntaxNode): string | null => {
  const type = node.childForFieldName("type")
  if (type !== null) return squeezed(type).replace(/^:/, "")
  const value = node.childForFieldName("value")
  const made = value?.type === "new_expression" ? value.childForFieldName("constructor") : null
  return made?.type === "identifier" && value !== null ? `${made.text}${argumentsOf(value)}` : null
}

/** `<A, B>` after the class in a `new` expression. */
const argumentsOf = (made: SyntaxNode): string => {
  const list = made.childForFieldName("type_arguments")
  return list === null ? "" : squeezed(list)
}

/** The class of `this` at this place; null in a function with its own `this`. */
const classAround = (node: SyntaxNode): string | null => {
  const until = ["function_declaration", "function_expression", "generator_function", "pair", "object"]
  const body = enclosing(node, ["class_body"], until)
  const holder = body?.parent
  return holder != null && /^(?:abstract_)?class_declaration$/.test(holder.type)
    ? (holder.childForFieldName("name")?.text ?? null)
    : null
}

const functions = [
  "function_declaration",
  "function_expression",
  "arrow_function",
  "generator_function",
  "generator_function_declaration",
  "method_definition"
]

/** All bindings of the name in the nearest block or function with one; none for a name of the module. */
const bindersOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const around = outermost(node, functions)
  const types = ["identifier", "shorthand_property_identifier_pattern"]
  const binders = around === null ? [] : spelled(around, types, node.text).filter(isBinder)
  for (const { endIndex, id, startIndex } of binders.length === 0 ? [] : ancestors(node, scopes)) {
    const own = binders.filter((binder) => !isAssigned(binder) && scopeOf(binder)?.id === id)
    const given = binders.filter(
      (each) => isAssigned(each) && startIndex <= each.startIndex && each.endIndex <= endIndex
    )
    if (own.length > 0) return [...own, ...given]
  }
  // A name of the module to which a function assigns another value.
  return binders.filter(isAssigned)
}

/** The nodes that limit the scope of a name. */
const scopes = [...functions, "statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body"]

/** The scope of a binding. */
const scopeOf = (binder: SyntaxNode): SyntaxNode | null => {
  const parent = binder.parent
  const isNamed = parent !== null && /^(?:function|class)_declaration$/.test(parent.type)
  const isVar = parent?.parent?.type === "variable_declaration"
  return enclosing(isNamed ? parent : binder, isVar ? functions : scopes)
}

const isAssigned = ({ parent }: SyntaxNode): boolean => parent?.type === "assignment_expression"

/** The result of calling a local function with a single binding, if its result is created in it or declared. */
const localResult = ([binder, ...others]: ReadonlyArray<SyntaxNode>): Origin | null => {
  const holder = others.length > 0 ? null : (binder?.parent ?? null)
  const made = holder === null ? null : resultType(holder.childForFieldName("value") ?? holder)
  return made === null ? null : typed(made)
}

/** The declared result type; without one, the class of the only object that the function creates. */
export const resultType = (node: SyntaxNode): string | null => {
  const type = node.childForFieldName("return_type")
  if (type !== null) return squeezed(type).replace(/^:/, "")
  if (!functions.includes(node.type)) return null
  const isPlain = !node.children.some((child) => child.type === "async") && !node.type.startsWith("generator")
  const body = node.childForFieldName("body")
  const only = body?.type === "statement_block" && body.namedChildren.length === 1 ? body.namedChildren[0] : null
  const value = only?.type === "return_statement" ? only.namedChildren[0] : body
  const made = isPlain && value?.type === "new_expression" ? value.childForFieldName("constructor") : null
  return made?.type === "identifier" ? made.text : null
}

const isBinder = (word: SyntaxNode): boolean =>
  word.type === "shorthand_property_identifier_pattern" ||
  isBinding(word) ||
  (isAssigned(word) && isField(word.parent, "left", word))

const types = [
  "class_declaration",
  "abstract_class_declaration",
  "class",
  "interface_declaration",
  "type_alias_declaration",
  "mapped_type_clause"
]

export const scriptScopes: Scopes = {
  limits: [
    ...scopes,
    "method_definition",
    "class_static_block",
    "function_signature",
    "method_signature",
    "abstract_method_signature",
    "call_signature",
    "construct_signature",
    "function_type",
    "constructor_type",
    "conditional_type"
  ],
  owners: types,
  hoisted: ["variable_declaration"],
  functions: [...functions, "method_definition", "class_static_block"],
  named: ["function_expression", "class"]
}

/** Node types to the field with the bound words; null for any word in them. */
const bindingFields: Readonly<Record<string, string | null>> = {
  variable_declarator: "name",
  required_parameter: "pattern",
  optional_parameter: "pattern",
  function_declaration: "name",
  generator_function_declaration: "name",
  function_expression: "name",
  function_signature: "name",
  class_declaration: "name",
  abstract_class_declaration: "name",
  class: "name",
  interface_declaration: "name",
  type_alias_declaration: "name",
  enum_declaration: "name",
  internal_module: "name",
  type_parameter: "name",
  arrow_function: "parameter",
  catch_clause: "parameter",
  for_in_statement: "left",
  assignment_pattern: "left",
  object_assignment_pattern: "left",
  pair_pattern: "value",
  array_pattern: null,
  rest_pattern: null,
  infer_type: null,
  mapped_type_clause: null,
  labeled_statement: null,
  formal_parameters: null
}

export const isBinding = (word: SyntaxNode): boolean => {
  const parent = word.parent
  if (parent === null || !Object.hasOwn(bindingFields, parent.type)) return false
  const field = bindingFields[parent.type]
  return field == null || isField(parent, field, word)
}

const nameOrigin = (node: SyntaxNode, depth: number, trail: Trail): Origin | null =>
  lookedUp(node, trail, () => {
    const binders = bindersOf(node)
    // A declared type is valid for later assignments, too.
    const declared = binders.filter(({ parent }) => parent?.childForFieldName("type") != null)
    return (declared.length > 0 ? declared : binders).map((binder) => binderOrigin(binder, depth, trail))
  })

const binderOrigin = (binder: SyntaxNode, depth: number, trail: Trail): Origin | null => {
  const parent = binder.parent
  if (parent?.type === "for_in_statement") return elementOrigin(parent, "[]", depth, trail)
  const loop = parent?.type === "array_pattern" ? parent.parent : null
  if (loop?.type === "for_in_statement") {
    const at = parent?.namedChildren.findIndex(({ id }) => id === binder.id)
    return elementOrigin(loop, `[${at}]`, depth, trail)
  }
  const [key, pattern] = keyOf(binder)
  if (pattern !== null) {
    return key === null ? null : followed(boundOrigin(pattern, depth, trail), key)
  }
  return boundOrigin(binder, depth, trail)
}

/** The key of a value in an object pattern, and that pattern; null if a default may replace the value. */
const keyOf = (binder: SyntaxNode): readonly [string | null, SyntaxNode | null] => {
  const parent = binder.parent
  if (binder.type === "shorthand_property_identifier_pattern") {
    const isWhole = parent?.type === "object_pattern"
    return [isWhole ? binder.text : null, isWhole ? parent : (parent?.parent ?? null)]
  }
  if (parent?.type !== "pair_pattern") return [null, null]
  const key = parent.childForFieldName("key")
  return [key?.type === "property_identifier" ? key.text : null, parent.parent]
}

/** The origin of what a declaration or a parameter binds as a whole. */
const boundOrigin = (bound: SyntaxNode, depth: number, trail: Trail): Origin | null => {
  const parent = bound.parent
  if (parent?.type === "arrow_function" || parent?.type === "formal_parameters")
    return callbackOrigin(bound, depth, trail)
  if (parent === null || !/^(?:variable_declarator|required_parameter|optional_parameter)$/.test(parent.type))
    return null
  const type = parent.childForFieldName("type")
  if (type !== null) return typed(squeezed(type).replace(/^:/, ""))
  if (parent.type !== "variable_declarator") return callbackOrigin(bound, depth, trail)
  const value = parent.childForFieldName("value")
  return value !== null && leads.test(value.type) ? scriptOrigin(value, depth + 1, trail) : null
}

/** The first parameter of a callback that a list method calls with each element. */
const callbackOrigin = (bound: SyntaxNode, depth: number, trail: Trail): Origin | null => {
  const holder = enclosing(bound, functions)
  const list = holder?.childForFieldName("parameters") ?? null
  const isFirst =
    isField(holder, "parameter", bound) || (list !== null && [bound.id, bound.parent?.id].includes(parts(list)[0]?.id))
  const given = holder?.parent?.type === "arguments" && holder.parent.namedChildren[0]?.id === holder.id
  const callee = given ? holder.parent?.parent?.childForFieldName("function") : null
  if (!isFirst || callee?.type !== "member_expression") return null
  if (!eachMethods.has(textOf(callee, "property"))) return null
  return followed(scriptOrigin(callee.childForFieldName("object"), depth + 1, trail), "[]")
}

/** List methods whose callback gets each element as its first argument. */
const eachMethods: ReadonlySet<string> = new Set(
  "every filter find findIndex findLast findLastIndex flatMap forEach map some".split(" ")
)

/** `for (const each of all)`, `for (const [key, value] of table)`. */
const elementOrigin = (
  loop: SyntaxNode,
  step: "[]" | `[${number | undefined}]`,
  depth: number,
  trail: Trail
): Origin | null => {
  const isElements = loop.childForFieldName("operator")?.text === "of" && !/^for\s+await\b/.test(loop.text)
  return isElements ? followed(scriptOrigin(loop.childForFieldName("right"), depth + 1, trail), step) : null
}

/** The common origin of all results, if no result type is declared and the function always returns a value. */
export const givenOrigin = (node: SyntaxNode): Origin | null => {
  const body = node.childForFieldName("body")
  if (body === null || node.childForFieldName("return_type") !== null || isDeferred(node)) return null
  if (body.type !== "statement_block") return scriptOrigin(body)
  const last = body.namedChildren.at(-1)
  // Without a return at the end, the function may return nothing.
  if (last?.type !== "return_statement" || !leads.test(last.namedChildren[0]?.type ?? "")) return null
  const returns = marked(body, ["return_statement"], /\breturn\b/g).filter(
    (each) => enclosing(each, functions)?.id === node.id
  )
  return returnedOrigin(returns, (value) => scriptOrigin(value))
}

/** Types of expressions with a possible origin. */
const leads = /^(?:this|identifier|(?:member|new|call|await|as|subscript|non_null)_expression)$/

/** Does a call return a promise or a generator? */
const isDeferred = (node: SyntaxNode): boolean =>
  node.type.startsWith("generator") || node.children.some(({ type }) => type === "async" || type === "*")
