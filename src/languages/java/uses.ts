/** The occurrences in a Java file, and the origins of the objects of methods. */
import type { CallShape, Occurrence, Origin } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { followed, sharedOrigin, typed } from "../origins.ts"
import type { Scopes } from "../scopes.ts"
import { ancestors, enclosing, isField, lineOf, outermost, parts, spelled, squeezed, textOf } from "../tree.ts"
import { types } from "./symbols.ts"

/** Null if it is not a name of a type or a member. */
export const javaOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || (node.type !== "identifier" && node.type !== "type_identifier")) return null
  const within = classesAround(node)
  const at = {
    line: lineOf(node),
    receiver: null,
    call: null,
    value: "passed",
    self: null,
    within
  } as const
  const is = (field: string) => isField(parent, field, node)
  if (parent.type === "method_invocation" && is("name")) {
    const object = parent.childForFieldName("object")
    const usage = { call: callShape(parent), ...valueUseOf(parent) }
    if (object === null) return { ...at, kind: "use", ...usage }
    return { ...at, kind: "member", ...objectOf(object), ...usage }
  }
  if (parent.type === "field_access" && is("field")) {
    return { ...at, kind: "member", ...objectOf(parent.childForFieldName("object")) }
  }
  if (parent.type === "method_reference") {
    const [object, method] = [parent.namedChildren[0], parent.namedChildren.at(-1)]
    if (object === undefined || method?.id !== node.id) return { ...at, kind: "use" }
    return { ...at, kind: "member", ...objectOf(object) }
  }
  if (parent.type === "scoped_type_identifier" && parent.namedChildren.at(-1)?.id === node.id) {
    const outer = squeezed(parent.namedChildren[0] ?? parent)
    return { ...at, kind: "member", receiver: outer, origin: typed(outer), ...creation(parent) }
  }
  if (enclosing(node, ["import_declaration", "package_declaration"]) !== null) return { ...at, kind: "import" }
  if (parent.type === "enum_constant" || types.test(parent.type))
    return is("name") ? { ...at, kind: "definition" } : null
  if (
    /^(?:method|constructor|compact_constructor|annotation_type_element)_declaration$/.test(parent.type) &&
    is("name")
  ) {
    return { ...at, kind: "definition" }
  }
  if (parent.type === "variable_declarator" && is("name")) {
    const isMember = /^(?:field|constant)_declaration$/.test(parent.parent?.type ?? "")
    return { ...at, kind: isMember ? "definition" : "binding" }
  }
  if (isBinding(node)) return { ...at, kind: "binding" }
  if (/^(?:switch_label|element_value_pair|labeled_statement|break_statement|continue_statement)$/.test(parent.type)) {
    return null
  }
  return { ...at, kind: "use", ...creation(node) }
}

/** `new C(1)`; the word is the type or its last part. */
const creation = (type: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const whole = type.parent?.type === "generic_type" ? type.parent : type
  const made = whole.parent
  const isMade = made?.type === "object_creation_expression" && isField(made, "type", whole)
  return { call: isMade ? callShape(made) : null, value: "passed" }
}

const isBinding = (node: SyntaxNode): boolean => {
  const parent = node.parent
  const is = (field: string) => isField(parent, field, node)
  switch (parent?.type) {
    case "formal_parameter":
    case "catch_formal_parameter":
    case "resource":
    case "enhanced_for_statement":
    case "instanceof_expression":
    case "type_parameter":
      return parent.type === "type_parameter"
        ? parent.namedChildren.find(({ type }) => /identifier$/.test(type))?.id === node.id
        : is("name")
    case "inferred_parameters":
    case "record_pattern_component":
    case "type_pattern":
      return node.type === "identifier"
    case "lambda_expression":
      return is("parameters")
    default:
      return false
  }
}

/** Paths of the surrounding classes, innermost first; `new X` for an anonymous class, `` for one in a method. */
const classesAround = (node: SyntaxNode): ReadonlyArray<string> => {
  const chain: Array<string> = []
  for (let at = node.parent, inner = node; at !== null; inner = at, at = at.parent) {
    if (at.type === "object_creation_expression" && inner.type === "class_body") {
      chain.push(`new ${squeezed(at.childForFieldName("type") ?? at).replace(/<.*$/s, "")}`)
    } else if (types.test(at.type) && isField(at, "body", inner)) chain.push(classPath(at))
  }
  return chain
}

const classPath = (node: SyntaxNode): string => {
  const own = textOf(node, "name")
  const outer = enclosing(node, outerTypes, ["block", "constructor_body", "lambda_expression"])
  if (outer !== null) return `${classPath(outer)}.${own}`
  return node.parent?.type === "program" ? own : ""
}

const outerTypes = [
  "class_declaration",
  "interface_declaration",
  "enum_declaration",
  "record_declaration",
  "annotation_type_declaration"
]

const callShape = (call: SyntaxNode): CallShape => {
  const list = call.childForFieldName("arguments")
  return {
    positional: list === null ? 0 : parts(list).length,
    keywords: [],
    spread: false,
    lastLine: call.endPosition.row + 1
  }
}

const valueUseOf = (call: SyntaxNode): Pick<Occurrence, "value" | "taken"> => {
  const holder = call.parent
  if (holder?.type === "expression_statement") return { value: "dropped" }
  // The use of a lambda's value depends on the called method.
  if (holder === null || holder.type === "lambda_expression") return { value: "passed" }
  if (holder.type === "variable_declarator") return { value: "stored", taken: 1 }
  return /^(?:switch_|for_)/.test(holder.type) ? { value: "passed" } : { value: "read", taken: 1 }
}

/** The object before the dot: its words if it is a plain path, and its origin. */
const objectOf = (object: SyntaxNode | null): Pick<Occurrence, "receiver" | "self" | "origin"> => {
  if (object === null) return { receiver: null, self: null }
  const origin = originOf(object)
  const receiver = /^[\w.]+$/.test(object.text) ? object.text : null
  const self = object.type === "this" ? (classesAround(object)[0] ?? null) : null
  return { receiver, self, ...(origin === null ? {} : { origin }) }
}

const longestPath = 6

/** Known if the type is declared, the object is created here, or it is a member of such an object. */
const originOf = (node: SyntaxNode | null, depth = 0): Origin | null => {
  if (node === null || depth > longestPath) return null
  const step = (inner: SyntaxNode | null, name: string) => followed(originOf(inner, depth + 1), name)
  switch (node.type) {
    case "this":
      return inClass(node)
    case "identifier":
      return nameOrigin(node, depth)
    case "type_identifier":
    case "scoped_type_identifier":
      return typed(squeezed(node))
    case "generic_type":
    case "parenthesized_expression":
      return originOf(node.namedChildren[0] ?? null, depth + 1)
    case "cast_expression":
    case "object_creation_expression": {
      const type = node.childForFieldName("type")
      return type === null ? null : typed(squeezed(type))
    }
    case "field_access": {
      const words = node.text
      if (/^(?:[A-Z]\w*\.)+[A-Z][a-z]\w*$/.test(words)) return typed(words)
      return step(node.childForFieldName("object"), textOf(node, "field"))
    }
    case "method_invocation": {
      const name = `${textOf(node, "name")}()`
      const object = node.childForFieldName("object")
      if (object !== null) return step(object, name)
      return followed(inClass(node), name)
    }
    default:
      return null
  }
}

const inClass = (node: SyntaxNode): Origin | null => {
  const [own] = classesAround(node)
  return own === undefined || own === "" || own.startsWith("new ") ? null : typed(own)
}

/** A variable, a field, or a type, in this order as in the language. */
const nameOrigin = (node: SyntaxNode, depth: number): Origin | null => {
  const local = variableOrigin(node, depth)
  if (local !== undefined) return local
  const chain = classesAround(node)
  for (const body of ancestors(node, ["class_body", "enum_body", "interface_body"])) {
    const field = fieldNamed(node.text, body)
    if (field !== null) return typed(squeezed(field))
  }
  if (/^[A-Z]/.test(node.text) && !/^[A-Z\d_]+$/.test(node.text)) return typed(node.text)
  const own = chain.find((each) => each !== "" && !each.startsWith("new "))
  // A field of a parent class, or a type, which begins with a capital.
  return own === undefined || /^[A-Z]/.test(node.text) ? typed(node.text) : followed(typed(own), node.text)
}

const fieldNamed = (name: string, body: SyntaxNode): SyntaxNode | null => {
  for (const member of body.namedChildren) {
    const fields = member.type === "enum_body_declarations" ? member.namedChildren : [member]
    for (const field of fields) {
      if (field.type !== "field_declaration" && field.type !== "constant_declaration") continue
      const isIt = field.namedChildren.some(
        (each) => each.type === "variable_declarator" && each.childForFieldName("name")?.text === name
      )
      if (isIt) return field.childForFieldName("type")
    }
  }
  return null
}

const methods = [
  "method_declaration",
  "constructor_declaration",
  "compact_constructor_declaration",
  "static_initializer"
]

export const javaScopes: Scopes = {
  limits: [
    ...methods,
    "block",
    "constructor_body",
    "lambda_expression",
    "for_statement",
    "enhanced_for_statement",
    "catch_clause",
    "try_with_resources_statement",
    "switch_rule",
    "switch_block_statement_group"
  ],
  owners: outerTypes,
  after: ["variable_declarator", "resource"],
  only: { enhanced_for_statement: "body" },
  hidesNoCalls: true
}

/** Undefined if no variable has this name; null if its type is not plain. */
const variableOrigin = (node: SyntaxNode, depth: number): Origin | null | undefined => {
  // Anonymous classes can use the variables around them.
  const scope = outermost(node, methods) ?? enclosing(node, ["field_declaration"])
  if (scope === null) return undefined
  const binders = spelled(scope, ["identifier"], node.text).filter((word) => {
    if (word.id === node.id) return false
    if (word.parent?.type !== "variable_declarator") return isBinding(word)
    return isField(word.parent, "name", word) && word.parent.parent?.type !== "field_declaration"
  })
  // Several declarations must have the same origin.
  return binders.length === 0 ? undefined : sharedOrigin(binders.map((binder) => binderOrigin(binder, depth)))
}

const binderOrigin = (binder: SyntaxNode, depth: number): Origin | null => {
  const holder = binder.parent
  if (holder === null) return null
  if (holder.type === "instanceof_expression") {
    const right = holder.childForFieldName("right")
    return right === null ? null : typed(squeezed(right))
  }
  const declaration = holder.type === "variable_declarator" ? holder.parent : holder
  const type = declaration?.childForFieldName("type") ?? null
  if (type === null) return null
  if (type.text !== "var") return typed(squeezed(type))
  if (holder.type !== "variable_declarator" && holder.type !== "resource") return null
  return originOf(holder.childForFieldName("value"), depth + 1)
}
