/**
 * What a Swift file declares, imports and calls. Pure.
 *
 * A module's files see each other without any import, and anybody may extend a type: every type is open.
 */
import type {
  CallShape,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  Visibility
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  bareType,
  called,
  type Draft,
  deepest,
  define,
  defineType,
  draftOf,
  finished,
  imported,
  isIn,
  nested,
  occurrenceAt,
  onlyOne,
  parameterOf,
  plainPath,
  textOf,
  withoutOverloads
} from "../draft.ts"
import { childOf, enclosing } from "../tree.ts"

export const swiftSymbols = (root: SyntaxNode): FileSymbols => {
  const draft = draftOf(root, swiftImports(root))
  readBody(root, top, draft, 0)
  const found = finished(draft)
  return { ...found, definitions: withoutOverloads(found.definitions) }
}

interface Scope {
  readonly path: string | null
  /** What a member is that says nothing of who may use it. */
  readonly visibility: Visibility
  readonly fields: Set<string>
  readonly initializers: Array<Signature>
}

const top: Scope = { path: null, visibility: "internal", fields: new Set(), initializers: [] }

const readBody = (body: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  if (depth > deepest) return
  for (const member of body.namedChildren) readMember(member, scope, draft, depth)
}

const readMember = (node: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  const container = scope.path
  const visibility = visibilityOf(node) ?? scope.visibility
  switch (node.type) {
    case "class_declaration":
    case "protocol_declaration":
      readType(node, scope, draft, depth)
      break
    case "function_declaration":
    case "protocol_function_declaration":
      define(draft, node, {
        name: unquoted(textOf(node, "name")),
        kind: container === null ? "function" : "method",
        container,
        signature: signatureOf(node),
        visibility
      })
      break
    case "init_declaration": {
      const signature = signatureOf(node)
      scope.initializers.push(signature)
      define(draft, node, { name: "init", kind: "method", container, signature, visibility })
      break
    }
    case "property_declaration":
    case "protocol_property_declaration":
      for (const name of node.namedChildren.filter(({ type }) => type === "pattern").flatMap(boundIn)) {
        scope.fields.add(unquoted(name.text))
        define(draft, node, { name: unquoted(name.text), kind: "constant", container, visibility })
      }
      break
    case "enum_entry":
      readCases(node, scope, draft)
      break
    case "typealias_declaration":
    case "associatedtype_declaration":
      define(draft, node, { name: textOf(node, "name"), kind: "type", container, visibility })
      break
    case "ERROR":
    case "directive":
    case "if_config":
      readBody(node, scope, draft, depth + 1)
      break
    default:
  }
}

/** A keyword for a name stands in backticks. */
const unquoted = (name: string): string => name.replaceAll("`", "")

const boundIn = (pattern: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const own = pattern.childForFieldName("bound_identifier")
  return own === null ? pattern.descendantsOfType("simple_identifier") : [own]
}

const visibilityOf = (node: SyntaxNode): Visibility | null => {
  const modifiers = childOf(node, "modifiers")
  // `private(set)` speaks of writing alone.
  const word = modifiers?.namedChildren.find(
    ({ text, type }) => type === "visibility_modifier" && !text.includes("(")
  )?.text
  if (word === undefined) return null
  if (word === "public" || word === "open") return "public"
  return word === "private" || word === "fileprivate" ? "private" : "internal"
}

const readType = (node: SyntaxNode, outer: Scope, draft: Draft, depth: number): void => {
  const written = bareType(textOf(node, "name"))
  const path = nested(outer.path, written, ".")
  const keyword = textOf(node, "declaration_kind")
  const own = visibilityOf(node)
  const isExtension = keyword === "extension"
  const scope: Scope = {
    path,
    // A member of a public type is internal; one of a private type cannot be more than that.
    visibility: isExtension
      ? (own ?? outer.visibility)
      : node.type === "protocol_declaration"
        ? (own ?? "internal")
        : own === "private"
          ? "private"
          : "internal",
    fields: new Set(),
    initializers: []
  }
  const body = node.childForFieldName("body")
  if (body !== null) readBody(body, scope, draft, depth + 1)
  if (!isExtension) {
    define(draft, node, {
      name: written,
      kind: keyword === "class" || keyword === "struct" || keyword === "actor" ? "class" : "type",
      container: outer.path,
      signature: keyword === "class" || keyword === "actor" ? onlyOne(scope.initializers) : null,
      visibility: own ?? outer.visibility
    })
  }
  const parents = node.namedChildren
    .filter(({ type }) => type === "inheritance_specifier")
    .map((specifier) => bareType(specifier.text))
  defineType(draft, path, true, scope.fields, parents)
}

/** `case on, off(code: Int)` */
const readCases = (entry: SyntaxNode, scope: Scope, draft: Draft): void => {
  const cases: Array<{ readonly node: SyntaxNode; signature: Signature | null }> = []
  for (const child of entry.namedChildren) {
    const last = cases.at(-1)
    if (child.type === "simple_identifier") cases.push({ node: child, signature: null })
    else if (child.type === "enum_type_parameters" && last !== undefined) last.signature = called(valuesIn(child))
  }
  for (const { node, signature } of cases) {
    const { path: container, visibility } = scope
    define(draft, node, { name: unquoted(node.text), kind: "constant", container, signature, visibility })
  }
}

/** The values of an enum's case: a label belongs to the type behind its colon. */
const valuesIn = (list: SyntaxNode): ReadonlyArray<Parameter> => {
  const values: Array<Parameter> = []
  let label = ""
  let hasDefault = false
  let open = false
  const close = () => {
    if (open) values.push(parameterOf(label, label === "" ? "positional-only" : "keyword", !hasDefault))
    label = ""
    hasDefault = false
    open = false
  }
  for (const child of list.children) {
    if (child.type === "," || child.type === ")") close()
    else if (child.type === "=") hasDefault = true
    else if (child.type === "simple_identifier" || child.type === "wildcard_pattern") {
      label = child.text === "_" ? "" : child.text
      open = true
    } else if (child.isNamed) open = true
  }
  return values
}

/** Labels are keywords to the caller; `_` leaves a parameter without one. */
const signatureOf = (node: SyntaxNode): Signature => {
  const parameters: Array<Parameter> = []
  let isAsync = false
  for (const child of node.children) {
    const last = parameters.at(-1)
    if (child.type === "parameter") {
      const label = child.childForFieldName("external_name")?.text ?? textOf(child, "name")
      const own = child.childForFieldName("name")?.text ?? ""
      const isRest = child.children.at(-1)?.type === "..."
      const name = label === "_" ? own : label
      const kind = isRest ? "rest" : label === "_" ? "positional-only" : "keyword"
      parameters.push(parameterOf(name, kind, true))
    } else if (child.type === "=" && last !== undefined)
      parameters[parameters.length - 1] = { ...last, required: false }
    else if (child.type === "..." && last !== undefined) {
      parameters[parameters.length - 1] = { ...last, kind: "rest", required: false }
    } else if (child.type === "async") isAsync = true
    else if (child.type === "function_body") break
  }
  return called(parameters, { async: isAsync })
}

/** Modules only: Swift names no files. */
export const swiftImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  root.namedChildren.flatMap((statement) => {
    const path = statement.type === "import_declaration" ? childOf(statement, "identifier") : null
    return path === null ? [] : [imported(statement, path.text, null, path.text)]
  })

const declarations =
  /^(?:function_declaration|protocol_function_declaration|class_declaration|protocol_declaration|typealias_declaration|associatedtype_declaration|enum_entry)$/

/** What the word at this node is to the code around it; null for a label and for what is no name at all. */
export const swiftOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || (node.type !== "simple_identifier" && node.type !== "type_identifier")) return null
  if (parent.type === "value_argument_label" || parent.type === "enum_type_parameters") return null
  if (parent.type === "identifier")
    return occurrenceAt(node, parent.parent?.type === "import_declaration" ? "import" : "use")
  if (declarations.test(parent.type) && isNameOf(node, parent)) return occurrenceAt(node, "definition")
  if (parent.type === "pattern") return patternOccurrence(node, parent)
  if (parent.type === "parameter" || parent.type === "lambda_parameter" || parent.type === "type_parameter") {
    return occurrenceAt(node, "binding")
  }
  if (parent.type === "navigation_suffix") {
    const navigation = parent.parent
    const receiver = plainPath(navigation?.childForFieldName("target") ?? null)
    const self = receiver === "self" || receiver === "Self" ? typeAround(node) : null
    return occurrenceAt(node, "member", { receiver, self, ...(navigation === null ? {} : usageOf(navigation)) })
  }
  if (parent.type === "user_type") return typeOccurrence(node, parent)
  // `.on`, whose type is the reader's to find.
  if (parent.type === "prefix_expression") return occurrenceAt(node, "member", usageOf(parent))
  return occurrenceAt(node, "use", usageOf(node))
}

const isNameOf = (node: SyntaxNode, parent: SyntaxNode): boolean =>
  parent.type === "enum_entry" ? node.type === "simple_identifier" : isIn(node, "name")

const patternOccurrence = (node: SyntaxNode, pattern: SyntaxNode): Occurrence => {
  const holder = pattern.parent
  const isDeclared = holder?.type === "property_declaration" || holder?.type === "protocol_property_declaration"
  const isLocal = isDeclared && enclosing(holder, ["statements"], ["class_body"]) !== null
  return occurrenceAt(node, isDeclared && !isLocal ? "definition" : "binding")
}

const typeOccurrence = (node: SyntaxNode, type: SyntaxNode): Occurrence => {
  const names = type.namedChildren.filter((each) => each.type === "type_identifier")
  const at = names.findIndex(({ id }) => id === node.id)
  if (at <= 0) return occurrenceAt(node, "use", usageOf(type))
  const receiver = names
    .slice(0, at)
    .map(({ text }) => text)
    .join(".")
  return occurrenceAt(node, "member", { receiver, ...usageOf(type) })
}

/** The type whose object `self` is. */
const typeAround = (node: SyntaxNode): string | null => {
  const names: Array<string> = []
  for (let at = node.parent; at !== null && names.length <= deepest; at = at.parent) {
    if (at.type === "class_declaration" || at.type === "protocol_declaration")
      names.unshift(bareType(textOf(at, "name")))
  }
  return names.length === 0 ? null : names.join(".")
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const call = callee.parent
  const suffix =
    call?.type === "call_expression" || call?.type === "constructor_expression" ? call.namedChildren.at(-1) : undefined
  const isCallee = call?.namedChildren[0]?.id === callee.id
  if (call == null || !isCallee || !/^(?:call|constructor)_suffix$/.test(suffix?.type ?? "")) {
    return { call: null, value: "passed" }
  }
  return { call: suffix === undefined ? null : callShape(suffix), value: fateOf(call) }
}

/** A closure behind the parentheses goes to a parameter that only the declaration tells. */
const callShape = (suffix: SyntaxNode): CallShape | null => {
  const list = childOf(suffix, "value_arguments")
  // `a[1]` reads like a call.
  if (list?.children[0]?.type === "[") return null
  const given = list?.namedChildren.filter(({ type }) => type === "value_argument") ?? []
  const labels = given.flatMap((each) => each.childForFieldName("name")?.text ?? [])
  return {
    positional: given.length - labels.length,
    keywords: labels,
    spread: childOf(suffix, "lambda_literal") !== null
  }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  const isTried = holder?.type === "try_expression"
  const outer = isTried ? holder.parent : holder
  if (outer?.type === "await_expression" || holder?.type === "await_expression") return "awaited"
  if (outer?.type === "statements") return outer.namedChildren.length === 1 ? "passed" : "dropped"
  if (outer?.type === "property_declaration") return "stored"
  return outer?.type === "navigation_expression" ? "read" : "passed"
}
