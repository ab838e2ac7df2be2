/**
 * What a C# file declares, uses and calls. Pure.
 *
 * A namespace is the file's package, not a container. Which file a `using` means, only folders can tell.
 */
import type {
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
import { childOf, enclosing, parts } from "../tree.ts"

export const csharpSymbols = (root: SyntaxNode): FileSymbols => {
  const imports = csharpImports(root)
  const draft = draftOf(root, imports)
  draft.stars.push(...imports.filter(({ local }) => local === "").map(({ module }) => module))
  readBody(root, scopeOf(null, "internal"), draft, 0)
  const found = finished(draft)
  return { ...found, definitions: withoutOverloads(found.definitions) }
}

interface Scope {
  readonly path: string | null
  /** Of what says nothing itself. */
  readonly visibility: Visibility
  readonly fields: Set<string>
  readonly constructors: Array<Signature | null>
}

const scopeOf = (path: string | null, visibility: Visibility): Scope => ({
  path,
  visibility,
  fields: new Set(),
  constructors: []
})

const readBody = (body: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  if (depth > deepest) return
  for (const member of body.namedChildren) readMember(member, scope, draft, depth)
}

const readMember = (node: SyntaxNode, scope: Scope, draft: Draft, depth: number): void => {
  const container = scope.path
  switch (node.type) {
    case "namespace_declaration":
    case "file_scoped_namespace_declaration": {
      if (draft.package === "") draft.package = textOf(node, "name").replace(/\s+/g, "")
      const body = node.childForFieldName("body")
      readBody(body ?? node, scope, draft, depth + 1)
      break
    }
    case "class_declaration":
    case "struct_declaration":
    case "record_declaration":
    case "record_struct_declaration":
    case "interface_declaration":
      readClass(node, scope, draft, depth)
      break
    case "enum_declaration":
      readEnum(node, scope, draft)
      break
    case "delegate_declaration":
      define(draft, node, {
        name: textOf(node, "name"),
        kind: "type",
        container,
        signature: signatureOf(node),
        visibility: visibilityOf(node, scope)
      })
      break
    case "method_declaration":
      define(draft, node, {
        name: textOf(node, "name"),
        kind: container === null ? "function" : "method",
        container,
        signature: signatureOf(node),
        // An explicit implementation is reached through its interface alone.
        visibility: childOf(node, "explicit_interface_specifier") === null ? visibilityOf(node, scope) : "private"
      })
      break
    case "constructor_declaration":
      if (!modifiersOf(node).includes("static")) scope.constructors.push(signatureOf(node))
      break
    case "property_declaration":
      readField(node, textOf(node, "name"), node, scope, draft)
      break
    case "event_declaration":
      readField(node, textOf(node, "name"), node, scope, draft)
      break
    case "field_declaration":
    case "event_field_declaration":
      for (const each of childOf(node, "variable_declaration")?.namedChildren ?? []) {
        if (each.type === "variable_declarator") readField(each, textOf(each, "name"), node, scope, draft)
      }
      break
    case "preproc_if":
    case "preproc_elif":
    case "preproc_else":
    case "declaration_list":
    case "ERROR":
      readBody(node, scope, draft, depth + 1)
      break
    default:
  }
}

const modifiersOf = (node: SyntaxNode): ReadonlyArray<string> =>
  node.namedChildren.flatMap((child) => (child.type === "modifier" ? [child.text] : []))

const visibilityOf = (node: SyntaxNode, scope: Scope): Visibility => {
  const words = modifiersOf(node)
  if (words.includes("private")) return words.includes("protected") ? "protected" : "private"
  return (["protected", "public", "internal"] as const).find((each) => words.includes(each)) ?? scope.visibility
}

const readField = (node: SyntaxNode, name: string, declaration: SyntaxNode, scope: Scope, draft: Draft): void => {
  scope.fields.add(name)
  define(draft, node, { name, kind: "constant", container: scope.path, visibility: visibilityOf(declaration, scope) })
}

const readClass = (node: SyntaxNode, outer: Scope, draft: Draft, depth: number): void => {
  const name = textOf(node, "name")
  const path = nested(outer.path, name, ".")
  const isInterface = node.type === "interface_declaration"
  const isRecord = node.type.startsWith("record")
  const scope = scopeOf(path, isInterface ? "public" : "private")
  const primary = childOf(node, "parameter_list")
  if (primary !== null) {
    scope.constructors.push(called(parametersIn(primary)))
    // A record's parameters are its properties.
    for (const each of isRecord ? primary.namedChildren : []) {
      const own = textOf(each, "name")
      scope.fields.add(own)
      define(draft, each, { name: own, kind: "constant", container: path, visibility: "public" })
    }
  }
  const body = node.childForFieldName("body")
  if (body !== null) readBody(body, scope, draft, depth + 1)
  const isPartial = modifiersOf(node).includes("partial")
  // A struct can always be made without arguments, a class that says nothing too.
  const isPlain = node.type === "class_declaration" && scope.constructors.length === 0
  const constructors = isPlain ? [called([])] : scope.constructors
  define(draft, node, {
    name,
    kind: isInterface ? "type" : "class",
    container: outer.path,
    signature: isInterface || isPartial || node.type === "struct_declaration" ? null : onlyOne(constructors),
    visibility: visibilityOf(node, outer.path === null ? outer : { ...outer })
  })
  const parents = (childOf(node, "base_list")?.namedChildren ?? [])
    .filter(({ type }) => type !== "argument_list" && type !== "comment")
    .map((each) => bareType((each.childForFieldName("type") ?? each).text))
  defineType(draft, path, isPartial || parents.length > 0, scope.fields, parents)
}

const readEnum = (node: SyntaxNode, outer: Scope, draft: Draft): void => {
  const name = textOf(node, "name")
  const path = nested(outer.path, name, ".")
  define(draft, node, { name, kind: "type", container: outer.path, visibility: visibilityOf(node, outer) })
  const fields: Array<string> = []
  for (const member of node.childForFieldName("body")?.descendantsOfType("enum_member_declaration") ?? []) {
    const own = textOf(member, "name")
    fields.push(own)
    define(draft, member, { name: own, kind: "constant", container: path, visibility: "public" })
  }
  defineType(draft, path, false, fields, [])
}

/** Null for an extension method, which is called with its first argument in front or in the parentheses. */
const signatureOf = (node: SyntaxNode): Signature | null => {
  const list = node.childForFieldName("parameters")
  const first = list?.namedChildren[0]
  if (first !== undefined && modifiersOf(first).includes("this")) return null
  const returned = (node.childForFieldName("returns") ?? node.childForFieldName("type"))?.text ?? ""
  const isAsync = modifiersOf(node).includes("async") || /^(?:[\w.]+\.)?(?:Value)?Task\b/.test(returned)
  return called(list === null ? [] : parametersIn(list), { async: isAsync })
}

const parametersIn = (list: SyntaxNode): ReadonlyArray<Parameter> => {
  const parameters: Array<Parameter> = []
  let isRest = false
  for (const child of list.children) {
    if (child.type === "params") isRest = true
    else if (child.type === "parameter") {
      const hasDefault = child.children.some(({ type }) => type === "=")
      const rest = modifiersOf(child).includes("params")
      parameters.push(parameterOf(textOf(child, "name"), rest ? "rest" : "positional", !hasDefault))
    } else if (isRest && child.type === "identifier" && isIn(child, "name")) {
      parameters.push(parameterOf(child.text, "rest", false))
    }
  }
  return parameters
}

/** `using`, wherever in the file it stands: a namespace, a type, or another name for one of them. */
export const csharpImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  usingsIn(root, 0).map((node) => {
    const alias = node.childForFieldName("name")
    const target = parts(node).find(({ id, type }) => id !== alias?.id && type !== "modifier")
    return imported(node, target?.text.replace(/\s+/g, "") ?? "", null, alias?.text ?? "")
  })

const usingsIn = (body: SyntaxNode, depth: number): ReadonlyArray<SyntaxNode> =>
  depth > 6
    ? []
    : body.namedChildren.flatMap((child) => {
        if (child.type === "using_directive") return [child]
        return /^(?:namespace_declaration|file_scoped_namespace_declaration|declaration_list|preproc_.*|ERROR)$/.test(
          child.type
        )
          ? usingsIn(child, depth + 1)
          : []
      })

const declarations =
  /^(?:class|struct|record|record_struct|interface|enum|delegate|method|property|event|constructor|destructor|enum_member)_declaration$/

/** What the word at this node is to the code around it; null for an argument's name and for what is no name at all. */
export const csharpOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || node.type !== "identifier") return null
  if (declarations.test(parent.type) && isIn(node, "name")) return occurrenceAt(node, "definition")
  if (parent.type === "argument" && isIn(node, "name")) return null
  if (enclosing(node, ["using_directive"], ["block", "declaration_list"]) !== null) return occurrenceAt(node, "import")
  if (/^(?:file_scoped_)?namespace_declaration$/.test(parent.type)) return null
  if (parent.type === "variable_declarator" && isIn(node, "name")) {
    return occurrenceAt(node, /field_declaration$/.test(parent.parent?.parent?.type ?? "") ? "definition" : "binding")
  }
  if (
    /^(?:parameter|type_parameter|catch_declaration|declaration_expression|declaration_pattern|local_function_statement|foreach_statement|implicit_parameter|from_clause|let_clause)$/.test(
      parent.type
    )
  ) {
    const isName = isIn(node, "name") || isIn(node, "left") || parent.type === "implicit_parameter"
    return isName ? occurrenceAt(node, "binding") : occurrenceAt(node, "use")
  }
  if (parent.type === "parameter_list" || parent.type === "implicit_parameter_list")
    return occurrenceAt(node, "binding")
  if (
    parent.type === "assignment_expression" &&
    parent.parent?.type === "initializer_expression" &&
    isIn(node, "left")
  ) {
    return occurrenceAt(node, "member")
  }
  const whole = parent.type === "generic_name" && parent.namedChildren[0]?.id === node.id ? parent : node
  return used(node, whole)
}

const used = (node: SyntaxNode, whole: SyntaxNode): Occurrence => {
  const holder = whole.parent
  if (holder?.type === "member_access_expression" && isIn(whole, "name")) {
    const receiver = plainPath(holder.childForFieldName("expression"))
    return occurrenceAt(node, "member", {
      receiver,
      self: receiver === "this" ? classAround(node) : null,
      ...usageOf(holder)
    })
  }
  if (holder?.type === "member_binding_expression") {
    const access = holder.parent
    const receiver = plainPath(access?.childForFieldName("condition") ?? null)
    return occurrenceAt(node, "member", {
      receiver,
      ...(access?.type === "conditional_access_expression" ? usageOf(access) : {})
    })
  }
  if (holder?.type === "qualified_name" && isIn(whole, "name")) {
    const receiver = plainPath(holder.childForFieldName("qualifier"))
    return occurrenceAt(node, "member", { receiver, ...usageOf(holder) })
  }
  return occurrenceAt(node, "use", usageOf(whole))
}

/** The class whose object `this` is. */
const classAround = (node: SyntaxNode): string | null => {
  const names: Array<string> = []
  for (let at = node.parent; at !== null && names.length <= deepest; at = at.parent) {
    if (/^(?:class|struct|record|record_struct|interface)_declaration$/.test(at.type)) names.unshift(textOf(at, "name"))
  }
  return names.length === 0 ? null : names.join(".")
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const call = callee.parent
  const isCall = call?.type === "invocation_expression" && call.childForFieldName("function")?.id === callee.id
  const isNew = call?.type === "object_creation_expression" && call.childForFieldName("type")?.id === callee.id
  if (call == null || (!isCall && !isNew)) return { call: null, value: "passed" }
  const list = call.childForFieldName("arguments")
  const given = list === null ? [] : parts(list).filter(({ type }) => type === "argument")
  const keywords = given.flatMap((each) => each.childForFieldName("name")?.text ?? [])
  return { call: { positional: given.length - keywords.length, keywords, spread: false }, value: fateOf(call) }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "await_expression") return "awaited"
  if (holder?.type === "expression_statement") return "dropped"
  if (holder?.type === "member_access_expression") {
    return /^(?:ConfigureAwait|ContinueWith|Wait|Result|GetAwaiter)$/.test(textOf(holder, "name")) ? "awaited" : "read"
  }
  return holder?.type === "variable_declarator" ? "stored" : "passed"
}
