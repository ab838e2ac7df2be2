/** The origin of the object of a Python attribute, if its class is plain. */
import type { Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { followed, lookedUp, named, newTrail, returnedOrigin, type Trail, typed } from "../origins.ts"
import { enclosing, marked, outermost, parts, spelled, squeezed, textOf } from "../tree.ts"
import { isBinder } from "./bindings.ts"

/** The maximum depth of a resolved expression. */
const longestPath = 8

export const pythonOrigin = (node: SyntaxNode | null, depth = 0, trail = newTrail()): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string) => followed(pythonOrigin(inner, depth + 1, trail), name)
  switch (node.type) {
    case "identifier":
      return node.text === "self" ? selfOrigin(node) : nameOrigin(node, depth, trail)
    case "attribute":
      return step(node.childForFieldName("object"), textOf(node, "attribute"))
    case "await":
    case "parenthesized_expression":
      return pythonOrigin(node.namedChildren[0] ?? null, depth + 1, trail)
    case "call": {
      const callee = node.childForFieldName("function")
      if (callee?.type === "identifier") return isLocal(callee) ? null : named(callee.text)
      if (callee?.type !== "attribute") return null
      const [object, name] = [callee.childForFieldName("object"), textOf(callee, "attribute")]
      const isModule = object?.type === "identifier" && object.text !== "self" && !isLocal(object)
      return isModule && /^[A-Z]/.test(name) ? named(`${object.text}.${name}`) : step(object, `${name}()`)
    }
    default:
      return null
  }
}

/** The name that is called to create the value, if it is a plain call of a class or a function. */
export const valueType = (value: SyntaxNode | null): string | null => {
  const callee = value?.type === "call" ? value.childForFieldName("function") : null
  return callee !== null && /^(?:\w+\.)?[A-Z]\w*[a-z]\w*$/.test(callee.text) ? callee.text : null
}

const selfOrigin = (node: SyntaxNode): Origin | null => {
  const around = enclosing(node, ["class_definition"])
  // A class in a function or in another class cannot be looked up by its name.
  const isTop = around !== null && enclosing(around, ["class_definition", "function_definition"]) === null
  return isTop ? typed(textOf(around, "name")) : null
}

const functions = ["function_definition", "lambda"]

const bindersOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const around = outermost(node, functions)
  return around === null ? [] : spelled(around, ["identifier"], node.text).filter(isBinder)
}

const isLocal = (node: SyntaxNode): boolean => bindersOf(node).length > 0

/** The origin of a variable whose bindings have the same origin; else a name of the module. */
const nameOrigin = (node: SyntaxNode, depth: number, trail: Trail): Origin | null =>
  lookedUp(node, trail, () => bindersOf(node).map((binder) => binderOrigin(binder, depth, trail)))

const binderOrigin = (binder: SyntaxNode, depth: number, trail: Trail): Origin | null => {
  const parent = binder.parent
  const type = parent?.childForFieldName("type") ?? null
  if (parent === null) return null
  if (type !== null && /^(?:typed_parameter|typed_default_parameter|assignment)$/.test(parent.type)) {
    const isSplat = parent.type === "typed_parameter" && parent.namedChildren[0]?.type !== "identifier"
    return isSplat ? null : typed(squeezed(type))
  }
  if (parent.type === "for_statement" || parent.type === "for_in_clause") {
    return followed(pythonOrigin(parent.childForFieldName("right"), depth + 1, trail), "[]")
  }
  if (parent.type === "as_pattern_target") return managedOrigin(parent.parent, depth, trail)
  const value = parent.type === "assignment" ? parent.childForFieldName("right") : null
  return value !== null && leads.test(value.type) ? pythonOrigin(value, depth + 1, trail) : null
}

/** Types of expressions with a possible origin. */
const leads = /^(?:call|attribute|await)$/

/** `with Cart() as cart`: the value that the context manager returns. */
const managedOrigin = (pattern: SyntaxNode | null, depth: number, trail: Trail): Origin | null => {
  if (pattern?.type !== "as_pattern" || pattern.parent?.type !== "with_item") return null
  const isAsync = enclosing(pattern, ["with_statement"])?.children.some(({ type }) => type === "async") === true
  const manager = pythonOrigin(pattern.namedChildren[0] ?? null, depth + 1, trail)
  return followed(manager, isAsync ? "__aenter__()" : "__enter__()")
}

/** The common origin of all results, if no result type is declared and the function always returns a value. */
export const givenOrigin = (node: SyntaxNode): Origin | null => {
  const body = node.childForFieldName("body")
  const last = body?.namedChildren.at(-1)
  // Without a return at the end, the function may return nothing.
  if (body === null || node.childForFieldName("return_type") !== null || last?.type !== "return_statement") return null
  if (!/^(?:identifier|call|attribute|await)$/.test(last.namedChildren[0]?.type ?? "")) return null
  const isOwn = (each: SyntaxNode) => enclosing(each, functions)?.id === node.id
  if (marked(body, ["yield"], /\byield\b/g).some(isOwn)) return null
  return returnedOrigin(marked(body, ["return_statement"], /\breturn\b/g).filter(isOwn), (value) => pythonOrigin(value))
}

/** The types of attributes of `self`: by annotation, by creation, or from an annotated parameter. `assignments`: all in the body. */
export const selfTypes = (
  body: SyntaxNode,
  assignments: ReadonlyArray<SyntaxNode>
): ReadonlyArray<readonly [string, string]> => {
  const found = new Map<string, Set<string>>()
  for (const assignment of assignments) {
    const left = assignment.childForFieldName("left")
    const isOfSelf = left?.type === "attribute" && left.childForFieldName("object")?.text === "self"
    const isClassLevel = left?.type === "identifier" && assignment.parent?.parent?.id === body.id
    if (left == null || (!isOfSelf && !isClassLevel)) continue
    const name = (left.childForFieldName("attribute") ?? left).text
    const known = found.get(name) ?? new Set<string>()
    found.set(name, known.add(assignedType(assignment) ?? ""))
  }
  return [...found].flatMap(([name, types]) => {
    const [type = ""] = types
    return types.size === 1 && type !== "" ? [[name, type] as const] : []
  })
}

const assignedType = (assignment: SyntaxNode): string | null => {
  const type = assignment.childForFieldName("type")
  if (type !== null) return squeezed(type)
  const value = assignment.childForFieldName("right")
  if (value?.type !== "identifier") return valueType(value)
  const list = enclosing(assignment, ["function_definition"])?.childForFieldName("parameters")
  const parameter = (list == null ? [] : parts(list)).find(
    (part) => (part.childForFieldName("name") ?? part.namedChildren[0])?.text === value.text
  )
  const declared = parameter?.childForFieldName("type") ?? null
  return declared === null ? null : squeezed(declared)
}
