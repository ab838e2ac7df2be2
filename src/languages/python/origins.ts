/** Where the object of a Python attribute comes from, as far as its class is plainly written. Pure. */
import type { Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, marked, parts, spelled, squeezed } from "../tree.ts"

/** What was looked up on the way to a place. */
interface Trail {
  /** How many more names may be looked up. */
  left: number
  /** Those whose values are being looked at: what is made of itself has no beginning. */
  readonly names: Set<string>
}

/** How deep an expression is followed, and how many names are looked up for it. */
const longestPath = 8
const mostNames = 24

const newTrail = (): Trail => ({ left: mostNames, names: new Set() })

export const pythonOrigin = (node: SyntaxNode | null, depth = 0, trail = newTrail()): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string): Origin | null => {
    const origin = pythonOrigin(inner, depth + 1, trail)
    return origin === null ? null : { root: origin.root, steps: [...origin.steps, name] }
  }
  switch (node.type) {
    case "identifier":
      return node.text === "self" ? selfOrigin(node) : nameOrigin(node, depth, trail)
    case "attribute":
      return step(node.childForFieldName("object"), node.childForFieldName("attribute")?.text ?? "")
    case "await":
    case "parenthesized_expression":
      return pythonOrigin(node.namedChildren[0] ?? null, depth + 1, trail)
    case "call": {
      const callee = node.childForFieldName("function")
      if (callee?.type === "identifier") return isLocal(callee) ? null : named(callee.text)
      if (callee?.type !== "attribute") return null
      const [object, name] = [callee.childForFieldName("object"), callee.childForFieldName("attribute")?.text ?? ""]
      const isModule = object?.type === "identifier" && object.text !== "self" && !isLocal(object)
      return isModule && /^[A-Z]/.test(name) ? named(`${object.text}.${name}`) : step(object, `${name}()`)
    }
    default:
      return null
  }
}

/** The class that a value is made from, when the value is a plain call of a class or function. */
export const valueType = (value: SyntaxNode | null): string | null => {
  const callee = value?.type === "call" ? value.childForFieldName("function") : null
  return callee !== null && /^(?:\w+\.)?[A-Z]\w*[a-z]\w*$/.test(callee.text) ? callee.text : null
}

const typed = (type: string): Origin => ({ root: { _tag: "Typed", type }, steps: [] })
const named = (name: string): Origin => ({ root: { _tag: "Value", name }, steps: [] })

const selfOrigin = (node: SyntaxNode): Origin | null => {
  const around = enclosing(node, ["class_definition"])
  // A class inside of a function or of another class has no name by which it could be looked up.
  const isTop = around !== null && enclosing(around, ["class_definition", "function_definition"]) === null
  return isTop ? typed(around.childForFieldName("name")?.text ?? "") : null
}

const functions = ["function_definition", "lambda"]

const bindersOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  let around: SyntaxNode | null = null
  for (let at = enclosing(node, functions); at !== null; at = enclosing(at, functions)) around = at
  return around === null ? [] : spelled(around, ["identifier"], node.text).filter(isBinder)
}

const isLocal = (node: SyntaxNode): boolean => bindersOf(node).length > 0

const isBinder = (node: SyntaxNode): boolean => {
  for (let at = node, parent = node.parent; parent !== null; at = parent, parent = parent.parent) {
    switch (parent.type) {
      case "assignment":
      case "augmented_assignment":
      case "for_statement":
      case "for_in_clause":
        return parent.childForFieldName("left")?.id === at.id
      case "named_expression":
      case "default_parameter":
      case "typed_default_parameter":
      case "function_definition":
      case "class_definition":
        return parent.childForFieldName("name")?.id === at.id
      case "typed_parameter":
        return parent.namedChildren[0]?.id === at.id
      case "parameters":
      case "lambda_parameters":
      case "as_pattern_target":
      case "case_pattern":
      case "global_statement":
      case "nonlocal_statement":
      case "aliased_import":
      case "import_statement":
      case "import_from_statement":
        return true
      case "dotted_name":
      case "as_pattern":
        break
      default:
        if (!/pattern|_splat|^tuple$|^list$|^expression_list$/.test(parent.type)) return false
    }
  }
  return false
}

/** A variable that one place binds, or that several bind alike; else a name of the module. */
const nameOrigin = (node: SyntaxNode, depth: number, trail: Trail): Origin | null => {
  if (trail.names.has(node.text) || trail.left-- <= 0) return null
  trail.names.add(node.text)
  const origins = bindersOf(node).map((binder) => binderOrigin(binder, depth, trail))
  trail.names.delete(node.text)
  const [first] = origins
  if (first === undefined) return named(node.text)
  return origins.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : null
}

const binderOrigin = (binder: SyntaxNode, depth: number, trail: Trail): Origin | null => {
  const parent = binder.parent
  const type = parent?.childForFieldName("type") ?? null
  if (parent === null) return null
  if (type !== null && /^(?:typed_parameter|typed_default_parameter|assignment)$/.test(parent.type)) {
    const isSplat = parent.type === "typed_parameter" && parent.namedChildren[0]?.type !== "identifier"
    return isSplat ? null : typed(squeezed(type))
  }
  if (parent.type === "for_statement" || parent.type === "for_in_clause") {
    const all = pythonOrigin(parent.childForFieldName("right"), depth + 1, trail)
    return all === null ? null : { root: all.root, steps: [...all.steps, "[]"] }
  }
  if (parent.type === "as_pattern_target") return managedOrigin(parent.parent, depth, trail)
  const value = parent.type === "assignment" ? parent.childForFieldName("right") : null
  return value !== null && leads.test(value.type) ? pythonOrigin(value, depth + 1, trail) : null
}

/** Expressions whose origin may be known. */
const leads = /^(?:call|attribute|await)$/

/** `with Cart() as cart`: what the manager gives on entering. */
const managedOrigin = (pattern: SyntaxNode | null, depth: number, trail: Trail): Origin | null => {
  if (pattern?.type !== "as_pattern" || pattern.parent?.type !== "with_item") return null
  const isAsync = enclosing(pattern, ["with_statement"])?.children.some(({ type }) => type === "async") === true
  const manager = pythonOrigin(pattern.namedChildren[0] ?? null, depth + 1, trail)
  return manager === null
    ? null
    : { root: manager.root, steps: [...manager.steps, isAsync ? "__aenter__()" : "__enter__()"] }
}

/** Where all that a function gives comes from, when no result is declared and it gives something at every end. */
export const givenOrigin = (node: SyntaxNode): Origin | null => {
  const body = node.childForFieldName("body")
  const last = body?.namedChildren.at(-1)
  // What does not end with a return may end without one.
  if (body === null || node.childForFieldName("return_type") !== null || last?.type !== "return_statement") return null
  if (!/^(?:identifier|call|attribute|await)$/.test(last.namedChildren[0]?.type ?? "")) return null
  const isOwn = (each: SyntaxNode) => enclosing(each, functions)?.id === node.id
  if (marked(body, ["yield"], /\byield\b/g).some(isOwn)) return null
  const returns = marked(body, ["return_statement"], /\breturn\b/g).filter(isOwn)
  if (returns.length > mostReturns) return null
  const origins = returns.map(({ namedChildren: [value = null] }) => pythonOrigin(value))
  const [first = null] = origins
  return origins.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : null
}

/** A function with more ends than this is not asked what they have in common. */
const mostReturns = 4

/** The classes of what a class's methods keep in `self`: by annotation, by making one, or from an annotated parameter. `assignments`: all in the body. */
export const selfTypes = (
  body: SyntaxNode,
  assignments: ReadonlyArray<SyntaxNode>
): ReadonlyArray<readonly [string, string]> => {
  const found = new Map<string, Set<string>>()
  for (const assignment of assignments) {
    const left = assignment.childForFieldName("left")
    const isField = left?.type === "attribute" && left.childForFieldName("object")?.text === "self"
    const isClassLevel = left?.type === "identifier" && assignment.parent?.parent?.id === body.id
    if (left == null || (!isField && !isClassLevel)) continue
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
