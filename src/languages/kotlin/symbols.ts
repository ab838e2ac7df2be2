/**
 * What a Kotlin file declares, imports and calls. Pure.
 *
 * Members of a companion object belong to the class around it: that is how callers name them.
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
import { childOf, parts } from "../tree.ts"

export const kotlinSymbols = (root: SyntaxNode): FileSymbols => {
  const imports = kotlinImports(root)
  const draft = draftOf(root, imports)
  draft.package =
    childOf(childOf(root, "package_header") ?? root, "qualified_identifier")?.text.replace(/\s+/g, "") ?? ""
  draft.stars.push(...imports.filter(({ name }) => name === null).map(({ module }) => module))
  readBody(root, scopeOf(null), draft, 0)
  const found = finished(draft)
  return { ...found, definitions: withoutOverloads(found.definitions) }
}

interface Scope {
  readonly path: string | null
  readonly fields: Set<string>
  readonly constructors: Array<Signature>
  readonly parents: Array<string>
}

const scopeOf = (path: string | null): Scope => ({ path, fields: new Set(), constructors: [], parents: [] })

const readBody = (body: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  if (depth > deepest) return
  for (const member of body.namedChildren) readMember(member, scope, draft, depth)
}

const readMember = (node: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  const container = scope.path
  const visibility = visibilityOf(node)
  switch (node.type) {
    case "class_declaration":
    case "object_declaration":
      readClass(node, scope, draft, depth)
      break
    case "companion_object": {
      const body = childOf(node, "class_body")
      scope.parents.push(...parentsOf(node))
      if (body !== null) readBody(body, scope, draft, depth + 1)
      break
    }
    case "function_declaration":
      define(draft, node, {
        // Names of tests may be whole sentences, in backticks.
        name: textOf(node, "name").replaceAll("`", ""),
        kind: container === null ? "function" : "method",
        container,
        signature: signatureOf(childOf(node, "function_value_parameters")),
        visibility
      })
      break
    case "secondary_constructor":
      scope.constructors.push(signatureOf(childOf(node, "function_value_parameters")))
      break
    case "property_declaration":
      for (const name of declaredIn(node)) {
        scope.fields.add(name)
        define(draft, node, { name, kind: "constant", container, visibility })
      }
      break
    case "enum_entry":
      define(draft, node, { name: childOf(node, "identifier")?.text ?? "", kind: "constant", container })
      break
    case "type_alias":
      define(draft, node, { name: textOf(node, "type"), kind: "type", container, visibility })
      break
    case "ERROR":
    case "statement":
      readBody(node, scope, draft, depth + 1)
      break
    default:
  }
}

const declaredIn = (property: SyntaxNode): ReadonlyArray<string> =>
  (childOf(property, "multi_variable_declaration") ?? property).namedChildren
    .filter(({ type }) => type === "variable_declaration")
    .map((variable) => childOf(variable, "identifier")?.text ?? "")

const modifiersOf = (node: SyntaxNode): ReadonlyArray<string> =>
  childOf(node, "modifiers")?.namedChildren.map(({ text }) => text) ?? []

const visibilityOf = (node: SyntaxNode): Visibility => {
  const words = modifiersOf(node)
  const word = (["private", "protected", "internal"] as const).find((each) => words.includes(each))
  return word ?? "public"
}

const parentsOf = (node: SyntaxNode): ReadonlyArray<string> =>
  (childOf(node, "delegation_specifiers")?.namedChildren ?? [])
    .filter(({ type }) => type === "delegation_specifier")
    .map((specifier) => bareType(typeIn(specifier)))

/** `Base<Int>(1)` and `Shape by other` are Base and Shape. */
const typeIn = (specifier: SyntaxNode): string => {
  const [first] = parts(specifier)
  if (first === undefined) return ""
  return first.type === "constructor_invocation" || first.type === "explicit_delegation"
    ? (parts(first)[0]?.text ?? "")
    : first.text
}

const readClass = (node: SyntaxNode, outer: Scope, draft: Draft, depth: number): void => {
  const name = textOf(node, "name")
  const path = nested(outer.path, name, ".")
  const scope = scopeOf(path)
  const isObject = node.type === "object_declaration"
  const isInterface = node.children.some(({ type }) => type === "interface")
  const primary = childOf(node, "primary_constructor")
  const body = childOf(node, "class_body", "enum_class_body")
  if (primary !== null) readPrimary(primary, scope, draft)
  if (body !== null) readBody(body, scope, draft, depth + 1)
  if (scope.constructors.length === 0 && !isObject && !isInterface) scope.constructors.push(called([]))
  define(draft, node, {
    name,
    kind: isInterface ? "type" : "class",
    container: outer.path,
    signature: isObject || isInterface ? null : onlyOne(scope.constructors),
    visibility: visibilityOf(node)
  })
  const parents = [...parentsOf(node), ...scope.parents]
  defineType(draft, path, parents.length > 0, scope.fields, parents)
}

/** `class C(val a: Int, b: Int = 1)` gives the class a member too. */
const readPrimary = (primary: SyntaxNode, scope: Scope, draft: Draft): void => {
  const parameters: Array<Parameter> = []
  for (const each of childOf(primary, "class_parameters")?.namedChildren ?? []) {
    if (each.type !== "class_parameter") continue
    const name = childOf(each, "identifier")?.text ?? ""
    const isRest = modifiersOf(each).includes("vararg")
    const hasDefault = each.children.some(({ type }) => type === "=")
    parameters.push(parameterOf(name, isRest ? "rest" : "positional", !hasDefault))
    if (!each.children.some(({ type }) => type === "val" || type === "var")) continue
    scope.fields.add(name)
    define(draft, each, { name, kind: "constant", container: scope.path, visibility: visibilityOf(each) })
  }
  scope.constructors.push(called(parameters))
}

const signatureOf = (list: SyntaxNode | null): Signature => {
  const parameters: Array<Parameter> = []
  let isRest = false
  for (const child of list?.children ?? []) {
    const last = parameters.at(-1)
    if (child.type === "parameter_modifiers") isRest = /\bvararg\b/.test(child.text)
    else if (child.type === "parameter") {
      parameters.push(parameterOf(childOf(child, "identifier")?.text ?? "", isRest ? "rest" : "positional", true))
      isRest = false
    } else if (child.type === "=" && last !== undefined)
      parameters[parameters.length - 1] = { ...last, required: false }
  }
  return called(parameters)
}

/** The whole path is the module, its last part the name: which file has it, the folders tell. */
export const kotlinImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  root.namedChildren
    .filter(({ type }) => type === "import")
    .map((statement) => {
      const [path, alias] = statement.namedChildren
      const module = path?.text.replace(/[\s`]+/g, "") ?? ""
      const isAll = statement.children.at(-1)?.type === "*"
      const name = module.slice(module.lastIndexOf(".") + 1)
      return isAll
        ? imported(statement, `${module}.*`, null, "")
        : imported(statement, module, name, alias?.text ?? name)
    })

/** What the word at this node is to the code around it; null for an argument's name and for what is no name at all. */
export const kotlinOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || node.type !== "identifier") return null
  switch (parent.type) {
    case "qualified_identifier":
      return parent.parent?.type === "import" ? occurrenceAt(node, "import") : null
    case "import":
      return occurrenceAt(node, "import")
    case "package_header":
      return null
    case "function_declaration":
    case "class_declaration":
    case "object_declaration":
    case "companion_object":
      return occurrenceAt(node, isIn(node, "name") ? "definition" : "use")
    case "type_alias":
    case "enum_entry":
      return occurrenceAt(node, "definition")
    case "variable_declaration":
      return occurrenceAt(node, isProperty(parent) ? "definition" : "binding")
    case "parameter":
    case "class_parameter":
    case "type_parameter":
      return occurrenceAt(node, "binding")
    case "value_argument":
      if (parent.children[1]?.type === "=" && parent.children[0]?.id === node.id) return null
      return occurrenceAt(node, "use")
    case "navigation_expression":
      return navigated(node, parent)
    case "user_type":
      return typeOccurrence(node, parent)
    case "callable_reference":
      if (parent.namedChildren.at(-1)?.id !== node.id || parent.namedChildren.length < 2)
        return occurrenceAt(node, "use")
      return occurrenceAt(node, "member", { receiver: plainPath(parent.namedChildren[0] ?? null) })
    default:
      return occurrenceAt(node, "use", usageOf(node))
  }
}

/** A property of the file or of a class, not a variable of a function. */
const isProperty = (variable: SyntaxNode): boolean => {
  const holder = variable.parent?.type === "multi_variable_declaration" ? variable.parent.parent : variable.parent
  return (
    holder?.type === "property_declaration" &&
    /^(?:source_file|class_body|enum_class_body)$/.test(holder.parent?.type ?? "")
  )
}

const navigated = (node: SyntaxNode, navigation: SyntaxNode): Occurrence => {
  const [object] = navigation.namedChildren
  if (object === undefined || object.id === node.id) return occurrenceAt(node, "use")
  const receiver = plainPath(object)
  const self = receiver === "this" ? classAround(node) : null
  return occurrenceAt(node, "member", { receiver, self, ...usageOf(navigation) })
}

const typeOccurrence = (node: SyntaxNode, type: SyntaxNode): Occurrence => {
  const names = type.namedChildren.filter((each) => each.type === "identifier")
  const at = names.findIndex(({ id }) => id === node.id)
  const holder = type.parent
  const list = holder?.type === "constructor_invocation" ? childOf(holder, "value_arguments") : null
  const usage = list === null ? {} : { call: callShape(list, false) }
  if (at <= 0) return occurrenceAt(node, "use", usage)
  const receiver = names
    .slice(0, at)
    .map(({ text }) => text)
    .join(".")
  return occurrenceAt(node, "member", { receiver, ...usage })
}

/** The class whose object `this` is. */
const classAround = (node: SyntaxNode): string | null => {
  const names: Array<string> = []
  for (let at = node.parent; at !== null && names.length <= deepest; at = at.parent) {
    if (at.type === "class_declaration" || at.type === "object_declaration") names.unshift(textOf(at, "name"))
  }
  return names.length === 0 ? null : names.join(".")
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  let call = callee.parent
  if (call?.type !== "call_expression" || call.namedChildren[0]?.id !== callee.id)
    return { call: null, value: "passed" }
  let list = childOf(call, "value_arguments")
  let block = childOf(call, "annotated_lambda")
  // `f(1) { }` is a call of the call.
  const outer = call.parent
  if (list !== null && block === null && outer?.type === "call_expression" && outer.namedChildren[0]?.id === call.id) {
    block = childOf(outer, "annotated_lambda")
    if (block !== null && childOf(outer, "value_arguments") === null) call = outer
    else block = null
  }
  list ??= block
  return { call: list === null ? null : callShape(list, block !== null), value: fateOf(call) }
}

/** A lambda behind the parentheses goes to the last parameter, whatever stands before it. */
const callShape = (list: SyntaxNode, block: boolean): CallShape => {
  const given = list.namedChildren.filter(({ type }) => type === "value_argument")
  const keywords = given.flatMap((each) => (each.children[1]?.type === "=" ? [each.children[0]?.text ?? ""] : []))
  const spreads = given.some((each) => childOf(each, "spread_expression") !== null)
  return { positional: given.length - keywords.length, keywords, spread: block || spreads }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "block") return "dropped"
  if (holder?.type === "property_declaration") return "stored"
  return holder?.type === "navigation_expression" ? "read" : "passed"
}
