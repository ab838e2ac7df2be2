/** What a TypeScript or JavaScript module defines, imports and exports. CommonJS modules are `open`. */
import type {
  CallShape,
  Definition,
  Exported,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  TypeShape,
  Visibility
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { definitionOf, ofItself, resultFrom, typeFrom } from "../definition.ts"
import { imported } from "../imported.ts"
import { enclosing, isField, lineOf, parts, partsOf, spelled, squeezed, textOf } from "../tree.ts"
import { scriptBase } from "./bases.ts"
import { declaredType, givenOrigin, isBinding, resultType, scriptOrigin } from "./origins.ts"

interface Found {
  readonly definitions: Array<Definition>
  readonly types: Array<TypeShape>
  /** Interfaces and object types. */
  readonly shapes: Array<TypeShape>
  readonly exports: Array<Exported>
  readonly stars: Array<string>
  readonly bound: Set<string>
  readonly hasAllMembers: boolean
  open: boolean
  /** Are types checked, so that a wrong number of arguments is an error? */
  readonly typed: boolean
}

/** `typed` is false for plain JavaScript, in which any number of arguments is valid. */
export const scriptSymbols = (root: SyntaxNode, typed: boolean): FileSymbols => {
  const found: Found = {
    definitions: [],
    types: [],
    shapes: [],
    exports: [],
    stars: [],
    bound: new Set(),
    hasAllMembers: !isBroken(root),
    open: isBroken(root) || isCommonJs(root),
    typed
  }
  for (const statement of root.namedChildren) readStatement(statement, found)
  const imports = scriptImports(root).map((each) => (each.inner === true ? { ...each, name: null, local: "" } : each))
  const isOwn = (name: string) => found.bound.has(name) || found.definitions.some((each) => each.name === name)
  const { shapes, ...rest } = found
  const types = [...found.types, ...shapes].map((type) => withParents(type, imports, isOwn))
  const inner = found.open && found.exports.length === 0 ? root.namedChildren.flatMap(assignedFunction) : []
  return { ...rest, types, definitions: withoutOverloads(found.definitions), inner, imports, package: "" }
}

/** What a statement of a CommonJS module defines: `exports.total = function`, `Cart.prototype.add = function`. */
const assignedFunction = (statement: SyntaxNode): ReadonlyArray<Definition> => {
  const [assignment] = statement.type === "expression_statement" ? statement.namedChildren : []
  const target = squeezed(assignment?.childForFieldName("left") ?? statement)
  const [, owner, member] = /^(?:module\.)?([\w$]+)(?:\.prototype)?(?:\.([\w$]+))?$/.exec(target) ?? []
  let value = assignment
  while (value?.type === "assignment_expression") value = value.childForFieldName("right") ?? undefined
  if (owner === undefined || value === assignment || !callables.includes(value?.type ?? "")) return []
  if (owner === "exports")
    return [definitionOf(member ?? (textOf(value, "name") || owner), "function", null, null, statement)]
  return member === undefined ? [] : [definitionOf(member, "method", owner, null, statement)]
}

/**
 * Is there a parse error? Type arguments before a template (`styled.a<B>\`\``) do not count: the grammar does not support
 * them, and inserts an empty `!`.
 */
const isBroken = (node: SyntaxNode): boolean => {
  if (!node.hasError) return false
  const inside = node.children.filter((child) => child.hasError)
  if (inside.length > 0) return node.type === "ERROR" || inside.some(isBroken)
  return node.type !== "!" || node.startIndex !== node.endIndex
}

/** Does code use `exports` or `module.exports`? A comment, a string and another object's member do not count. */
const isCommonJs = (root: SyntaxNode): boolean =>
  spelled(root, ["identifier", "property_identifier"], "exports").some(
    ({ parent, type }) => type === "identifier" || (parent !== null && textOf(parent, "object") === "module")
  )

/** Without a parent whose members are known; any other parent leaves the class open. */
const withParents = (
  type: TypeShape,
  imports: ReadonlyArray<ImportedName>,
  isOwn: (name: string) => boolean
): TypeShape => {
  const brought = (type.parents ?? []).map((written) => ({ written, names: scriptBase(written, imports, isOwn) }))
  const isKept = (at: number) => brought[at]?.names === null
  const parents = brought.flatMap(({ names, written }) => (names === null ? [written] : []))
  const fields = new Map([
    ...brought.flatMap(({ names }) => names ?? []).map((member) => [member, 0] as const),
    ...type.fields
  ])
  const given = type.parentArguments?.filter((_, at) => isKept(at))
  const parentArguments = given?.some((list) => list.length > 0) === true ? given : undefined
  const { parentArguments: _, ...rest } = type
  return type.parents === undefined
    ? type
    : {
        ...rest,
        parents,
        fields,
        open: type.open || parents.length > 0,
        ...(parentArguments === undefined ? {} : { parentArguments })
      }
}

/** Removes the signatures of overloads: only the type checker can select one for a call. */
const withoutOverloads = (definitions: ReadonlyArray<Definition>): ReadonlyArray<Definition> => {
  const count = new Map<string, number>()
  const keyOf = ({ container, name }: Definition) => `${container}.${name}`
  for (const definition of definitions) count.set(keyOf(definition), (count.get(keyOf(definition)) ?? 0) + 1)
  return definitions.map((definition) =>
    (count.get(keyOf(definition)) ?? 0) > 1 ? { ...definition, signature: null } : definition
  )
}

const stringOf = (node: SyntaxNode | null): string | null =>
  node?.type === "string" ? (node.namedChildren[0]?.text ?? "") : null

/** The names in the braces of an import or export; a name may be written as a string. */
const specifiersIn = (braces: SyntaxNode) =>
  parts(braces).map((specifier) => {
    const nameAt = (field: string) => {
      const node = specifier.childForFieldName(field)
      return stringOf(node) ?? node?.text
    }
    const name = nameAt("name") ?? ""
    return { name, alias: nameAt("alias") ?? name, specifier }
  })

const readStatement = (statement: SyntaxNode, found: Found): void => {
  if (statement.type === "export_statement") readExport(statement, found)
  else if (statement.type === "ambient_declaration") {
    for (const inner of statement.namedChildren) readStatement(inner, found)
  } else readDeclaration(statement, found)
}

const readExport = (statement: SyntaxNode, found: Found): void => {
  const module = stringOf(statement.childForFieldName("source"))
  const declaration = statement.childForFieldName("declaration")
  const value = statement.childForFieldName("value")
  const words = new Set(statement.children.map(({ type }) => type))
  const line = lineOf(statement)
  if (words.has("=") || words.has("import")) found.open = true
  for (const clause of statement.namedChildren) {
    if (clause.type === "namespace_export") {
      const [given] = clause.namedChildren
      const name = stringOf(given ?? null) ?? given?.text ?? ""
      found.exports.push({ name, local: null, from: module === null ? null : { module, name: null }, line })
    }
    for (const { alias, name, specifier } of clause.type === "export_clause" ? specifiersIn(clause) : []) {
      const at = lineOf(specifier)
      found.exports.push(
        module === null
          ? { name: alias, local: name, from: null, line: at }
          : { name: alias, local: null, from: { module, name }, line: at }
      )
    }
  }
  if (module !== null && words.has("*")) found.stars.push(module)
  if (words.has("default")) {
    const local = declaration?.childForFieldName("name")?.text ?? (value?.type === "identifier" ? value.text : null)
    found.exports.push({ name: "default", local, from: null, line })
  }
  if (declaration === null) return
  const names = readStatementNames(declaration, found)
  if (!words.has("default")) {
    for (const name of names) found.exports.push({ name, local: name, from: null, line })
  }
}

/** Reads the declaration and returns the names that it binds. */
const readStatementNames = (declaration: SyntaxNode, found: Found): ReadonlyArray<string> => {
  if (declaration.type !== "ambient_declaration") return readDeclaration(declaration, found)
  return declaration.namedChildren.flatMap((inner) => readDeclaration(inner, found))
}

const functions = ["function_declaration", "generator_function_declaration", "function_signature"]
const classes = ["class_declaration", "abstract_class_declaration"]
const typeLike = ["interface_declaration", "type_alias_declaration", "enum_declaration"]

const readDeclaration = (node: SyntaxNode, found: Found): ReadonlyArray<string> => {
  const name = textOf(node, "name")
  if (functions.includes(node.type)) {
    const signature = signatureOf(node, found.typed)
    found.definitions.push({ ...definitionOf(name, "function", null, signature, node), ...resultOf(node) })
    return [name]
  }
  if (classes.includes(node.type)) {
    readClass(name, node, found)
    return [name]
  }
  if (typeLike.includes(node.type)) {
    const alias = aliased(node)
    found.definitions.push({
      ...definitionOf(name, "type", null, null, node),
      ...(alias === null ? {} : { type: alias })
    })
    if (node.type === "enum_declaration") readEnum(name, node, found)
    else {
      const shape = shapeOf(name, node)
      if (shape !== null) found.shapes.push(shape)
    }
    return [name]
  }
  if (node.type === "lexical_declaration" || node.type === "variable_declaration") {
    return node.namedChildren
      .filter(({ type }) => type === "variable_declarator")
      .flatMap((declarator) => readVariable(declarator, found))
  }
  const inner = node.type === "expression_statement" ? node.namedChildren[0] : node
  if (inner?.type === "internal_module" || inner?.type === "module") {
    const own = textOf(inner, "name")
    found.bound.add(own)
    return [own]
  }
  // `declare global { }` defines names for every file; the module does not export them.
  for (const statement of node.type === "statement_block" ? node.namedChildren : []) {
    for (const declaration of [statement, ...statement.namedChildren]) {
      const name = declaration.childForFieldName("name")
      if (name !== null) found.bound.add(name.text)
    }
  }
  return []
}

const readEnum = (name: string, node: SyntaxNode, found: Found): void => {
  for (const member of node.childForFieldName("body")?.namedChildren ?? []) {
    const key = member.type === "enum_assignment" ? member.childForFieldName("name") : member
    if (key?.type !== "property_identifier") continue
    found.definitions.push(definitionOf(key.text, "constant", name, null, member))
  }
  found.types.push({ name, open: false, fields: new Map() })
}

const callables = ["arrow_function", "function_expression", "function", "generator_function"]

const readVariable = (declarator: SyntaxNode, found: Found): ReadonlyArray<string> => {
  const name = declarator.childForFieldName("name")
  const value = declarator.childForFieldName("value")
  if (name === null) return []
  if (name.type !== "identifier") {
    const names = name
      .descendantsOfType(["identifier", "shorthand_property_identifier_pattern"])
      .map(({ text }) => text)
    for (const each of names) found.bound.add(each)
    return names
  }
  // A declared type of the variable replaces that of the function.
  const isPlain = value !== null && callables.includes(value.type) && declarator.childForFieldName("type") === null
  const signature = isPlain ? signatureOf(value, found.typed) : null
  const kind = value !== null && callables.includes(value.type) ? "function" : "constant"
  const type = kind === "function" ? null : declaredType(declarator)
  const result = isPlain ? resultOf(value) : type === null ? constantOf(value) : { type }
  found.definitions.push({ ...definitionOf(name.text, kind, null, signature, declarator), ...result })
  return [name.text]
}

const readClass = (name: string, node: SyntaxNode, found: Found): void => {
  const members = node.childForFieldName("body")?.namedChildren ?? []
  const methods = members.filter(({ type }) => type === "method_definition" || type === "method_signature")
  const nameOf = (member: SyntaxNode) => textOf(member, "name")
  const accessor = (member: SyntaxNode) => member.children.some(({ type }) => type === "get" || type === "set")
  const constructors = methods.filter((method) => nameOf(method) === "constructor")
  const decorated = node.namedChildren.some(({ type }) => type === "decorator")
  const only = constructors.length === 1 && !decorated ? constructors[0] : undefined
  const signature = only === undefined ? null : signatureOf(only, found.typed)
  found.definitions.push(definitionOf(name, "class", null, signature, node))
  for (const method of methods) {
    const own = accessor(method) ? null : signatureOf(method, found.typed)
    const definition = definitionOf(nameOf(method), "method", name, own, method)
    found.definitions.push({
      ...definition,
      ...ofItself(resultOf(method), name, "this"),
      visibility: visibilityOf(method)
    })
  }
  const properties = constructors.flatMap((method) =>
    method
      .descendantsOfType("required_parameter")
      .filter((parameter) =>
        parameter.children.some(({ type }) => /^(?:accessibility_modifier|override_modifier|readonly)$/.test(type))
      )
  )
  const patternOf = (parameter: SyntaxNode) => textOf(parameter, "pattern")
  const givenTypes = properties.map((parameter) => [patternOf(parameter), declaredType(parameter) ?? ""] as const)
  const fields = members.filter(({ type }) => /field_definition|abstract_method|property_signature/.test(type))
  const getters = methods.filter((method) => method.children.some(({ type }) => type === "get"))
  const isIndexed = members.some(({ type }) => type === "index_signature")
  found.types.push({
    name,
    ...parentsOf(node),
    ...parametersOf(node),
    // Types do not show the effect of a decorator.
    marks: (decorated && !found.typed) || isIndexed ? "dynamic" : "",
    open:
      decorated ||
      isIndexed ||
      node.namedChildren.some(({ type, namedChildren }) => type === "class_heritage" && namedChildren.length === 0),
    fieldTypes: [
      ...givenTypes,
      ...fields.flatMap(typedField),
      ...getters.flatMap((getter) => {
        const type = resultType(getter)
        return type === null ? [] : [[nameOf(getter), type] as const]
      })
    ],
    fields: new Map([
      ...properties.map((parameter) => [patternOf(parameter), lineOf(parameter)] as const),
      ...fields.map((field) => [keyOf(field)?.text ?? "", lineOf(field)] as const)
    ])
  })
}

const keyOf = (field: SyntaxNode): SyntaxNode | null =>
  field.childForFieldName("name") ?? field.childForFieldName("property")

/** The declared type of a field; for a field with a function, the type of its result. */
const typedField = (field: SyntaxNode): ReadonlyArray<readonly [string, string]> => {
  const key = keyOf(field)
  if (key === null) return []
  const type = declaredType(field)
  if (type !== null) return [[key.text, type]]
  const value = field.childForFieldName("value")
  const result = value !== null && callables.includes(value.type) ? resultType(value) : null
  return result === null ? [] : [[`${key.text}()`, result]]
}

/** An interface, an object type, or an intersection with one. */
const shapeOf = (name: string, node: SyntaxNode): TypeShape | null => {
  const value = node.type === "interface_declaration" ? null : node.childForFieldName("value")
  const bodies = value === null ? [node.childForFieldName("body")] : intersected(value)
  const own = bodies.filter((body) => body !== null && /^(?:interface_body|object_type)$/.test(body.type))
  if (own.length === 0) return null
  const members = own.flatMap((body) => body?.namedChildren ?? [])
  const others = bodies.filter((body) => body !== null && !own.includes(body))
  const extended = node.namedChildren.find(({ type }) => type === "extends_type_clause")?.namedChildren ?? []
  const fieldTypes = members.flatMap((member): ReadonlyArray<readonly [string, string]> => {
    if (member.type === "property_signature") return typedField(member)
    const result = member.type === "method_signature" ? resultType(member) : null
    return result === null ? [] : [[`${member.childForFieldName("name")?.text}()`, result]]
  })
  return {
    name,
    describes: true,
    open: extended.length + others.length > 0,
    marks: members.some(({ type }) => type === "index_signature") ? "dynamic" : "",
    fields: new Map(members.map((member) => [textOf(member, "name"), lineOf(member)])),
    ...(members.every(({ type }) => /^(?:property|method)_signature$|^comment$/.test(type))
      ? { required: members.filter(isRequired).map((member) => textOf(member, "name")) }
      : {}),
    fieldTypes,
    ...parentsFrom([...extended, ...others].flatMap((each) => (each === null ? [] : [each]))),
    ...parametersOf(node)
  }
}

const isRequired = (member: SyntaxNode): boolean =>
  member.type !== "comment" && !member.children.some(({ type }) => type === "?")

/** The parts of `A & B`. */
const intersected = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  node.type === "intersection_type" || node.type === "parenthesized_type"
    ? node.namedChildren.flatMap(intersected)
    : [node]

const parentsFrom = (types: ReadonlyArray<SyntaxNode>): Pick<TypeShape, "parents" | "parentArguments"> => ({
  parents: types.map((type) => (type.childForFieldName("name") ?? type).text),
  parentArguments: types.map((type) => argumentsIn(type.namedChildren.find((part) => part.type === "type_arguments")))
})

const argumentsIn = (list: SyntaxNode | null | undefined): ReadonlyArray<string> =>
  list == null ? [] : list.namedChildren.map(squeezed)

const parametersOf = (node: SyntaxNode): Pick<TypeShape, "parameters"> => {
  const list = node.childForFieldName("type_parameters")
  return list === null
    ? {}
    : { parameters: list.namedChildren.map((each) => (each.childForFieldName("name") ?? each).text) }
}

const visibilityOf = (member: SyntaxNode): Visibility => {
  const modifier = member.namedChildren.find(({ type }) => type === "accessibility_modifier")?.text
  return modifier === "private" || modifier === "protected" ? modifier : "public"
}

/** The class that it extends, without interfaces, which have no members to inherit. JavaScript has no clause node. */
const parentsOf = (node: SyntaxNode): Pick<TypeShape, "parents" | "parentArguments"> => {
  const heritage = node.namedChildren.find(({ type }) => type === "class_heritage")
  if (heritage === undefined) return { parents: [] }
  const clause = heritage.namedChildren.find(({ type }) => type === "extends_clause")
  if (clause !== undefined) {
    return {
      parents: [textOf(clause, "value")],
      parentArguments: [argumentsIn(clause.childForFieldName("type_arguments"))]
    }
  }
  return { parents: heritage.text.startsWith("extends") ? [heritage.namedChildren[0]?.text ?? ""] : [] }
}

/** The type of a plain alias. */
const aliased = (node: SyntaxNode): string | null => {
  const value = node.type === "type_alias_declaration" ? node.childForFieldName("value") : null
  return value !== null && /^(?:type_identifier|nested_type_identifier|generic_type)$/.test(value.type)
    ? squeezed(value)
    : null
}

const resultOf = (node: SyntaxNode): Pick<Definition, "type" | "valueOrigin"> =>
  resultFrom(resultType(node), () => givenOrigin(node))

/** The origin of a constant without a type. */
const constantOf = (value: SyntaxNode | null): Pick<Definition, "valueOrigin"> => {
  const valueOrigin = value !== null && /^(?:call|as|await)_expression$/.test(value.type) ? scriptOrigin(value) : null
  return valueOrigin === null ? {} : { valueOrigin }
}

export const signatureOf = (node: SyntaxNode, typed: boolean): Signature | null => {
  const single = node.childForFieldName("parameter")
  const parameters: Array<Parameter> = []
  if (single !== null) parameters.push({ name: single.text, kind: "positional-only", required: typed })
  for (const part of partsOf(node, "parameters")) {
    const pattern = part.childForFieldName("pattern") ?? part
    if (pattern.type === "this") continue
    if (pattern.type === "rest_pattern") {
      parameters.push({ name: pattern.text, kind: "rest", required: false })
      continue
    }
    const isOptional =
      part.type === "optional_parameter" ||
      part.childForFieldName("value") !== null ||
      /\b(?:void|any|unknown)\b/.test(textOf(part, "type"))
    const required = typed && !isOptional
    const type = typeFrom(part.childForFieldName("type"))
    parameters.push({ name: pattern.text, kind: "positional-only", required, ...type })
  }
  // `arguments` contains arguments without a parameter.
  if (!typed && /\barguments\b/.test(textOf(node, "body"))) return null
  const isAsync = node.children.some(({ type }) => type === "async")
  const declared = node.childForFieldName("return_type")
  const result = declared === null ? undefined : squeezed(declared).replace(/^:/, "")
  return {
    parameters,
    async: isAsync,
    strict: typed,
    ...(result === undefined || isAsync || !typed ? {} : { results: result === "void" ? 0 : 1 })
  }
}

/** Every import of the file, including re-exports and `import()`. */
export const scriptImports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  const add = (module: string, name: string | null, local: string, node: SyntaxNode) =>
    found.push(imported(node, module, name, local))
  for (const statement of root.namedChildren) {
    if (statement.type !== "import_statement" && statement.type !== "export_statement") continue
    const require = statement.namedChildren.find(({ type }) => type === "import_require_clause")
    const module = stringOf((require ?? statement).childForFieldName("source"))
    if (module === null) continue
    const before = found.length
    for (const clause of statement.namedChildren) {
      if (clause.type === "export_clause") {
        for (const { name, specifier } of specifiersIn(clause)) add(module, name, "", specifier)
      }
      if (clause.type !== "import_clause") continue
      for (const part of clause.namedChildren) {
        if (part.type === "identifier") add(module, "default", part.text, part)
        else if (part.type === "namespace_import") add(module, null, part.namedChildren[0]?.text ?? "", part)
        else if (part.type === "named_imports") {
          for (const { alias, name, specifier } of specifiersIn(part)) add(module, name, alias, specifier)
        }
      }
    }
    if (found.length === before) add(module, null, "", statement)
  }
  // Measured: to find all calls in the tree of a large file takes longer than to parse it.
  for (const { index } of root.text.matchAll(/\b(?:import|require)\s*\(/g)) {
    const at = root.startIndex + index
    const word = root.descendantForIndex(at, at)
    const call = word === null ? null : enclosing(word, ["call_expression"])
    const callee = call?.childForFieldName("function")
    if (call == null || callee?.startIndex !== at || (callee.type !== "import" && callee.text !== "require")) continue
    const given = call.childForFieldName("arguments")?.namedChildren[0] ?? null
    const module = stringOf(given)
    // The failure of an import in `try` is handled.
    const guarded = enclosing(call, ["try_statement"]) !== null
    if (module === null) continue
    const names = callee.type === "import" ? loadedNames(call) : []
    if (names.length === 0) found.push(imported(call, module, null, "", guarded))
    const inner = enclosing(call, ["statement_block", ...functions]) === null ? {} : { inner: true as const }
    for (const { local, name, node } of names)
      found.push({ ...imported(node, module, name, local, guarded), ...(node === call ? {} : inner) })
  }
  return found
}

/** What a constant takes of `await import()`, or the expression itself if a member of it is used. */
const loadedNames = (call: SyntaxNode) => {
  const holder = call.parent?.type === "await_expression" ? call.parent.parent : null
  if (holder === null) return []
  if (loadedModule(holder) !== null) return [{ node: call, name: null, local: call.text }]
  if (holder.type !== "variable_declarator" || !holder.parent?.text.startsWith("const")) return []
  const pattern = holder.childForFieldName("name")
  if (pattern?.type === "identifier") return [{ node: pattern, name: null, local: pattern.text }]
  return (pattern?.type === "object_pattern" ? pattern.namedChildren : []).flatMap((node) => {
    const local = node.type === "pair_pattern" ? node.childForFieldName("value") : node
    const isName = /^(?:identifier|shorthand_property_identifier_pattern)$/.test(local?.type ?? "")
    return local === null || !isName
      ? []
      : [{ node: local, name: (node.childForFieldName("key") ?? node).text, local: local.text }]
  })
}

/** `import("./cart")` in `(await import("./cart")).total`. */
const loadedModule = (object: SyntaxNode | null): string | null => {
  const awaited = object?.type === "parenthesized_expression" ? object.namedChildren[0] : undefined
  const call = awaited?.type === "await_expression" ? awaited.namedChildren[0] : undefined
  return call?.childForFieldName("function")?.type === "import" ? call.text : null
}

const names = [
  "identifier",
  "type_identifier",
  "property_identifier",
  "private_property_identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern"
]

/** The occurrence at this node; null if it is not a name, or only a key. */
export const scriptOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || !names.includes(node.type)) return null
  const at = { line: lineOf(node), receiver: null, call: null, value: "passed", self: null } as const
  const is = (field: string) => isField(parent, field, node)
  if (parent.type === "member_expression" && is("property")) {
    const object = parent.childForFieldName("object")
    const receiver = object?.type === "identifier" || object?.type === "this" ? object.text : loadedModule(object)
    const holder = parent.parent
    const isAssigned = holder?.type === "assignment_expression" && isField(holder, "left", parent)
    if (isAssigned) return { ...at, kind: "binding", receiver }
    const origin = scriptOrigin(object)
    const self = selfOf(node, receiver)
    return { ...at, kind: "member", receiver, self, ...(origin === null ? {} : { origin }), ...usageOf(parent) }
  }
  if (/^nested_(?:type_)?identifier$/.test(parent.type) && parent.namedChildren.at(-1)?.id === node.id) {
    return { ...at, kind: "member", receiver: parent.namedChildren[0]?.text ?? null }
  }
  if (node.type === "property_identifier" || node.type === "private_property_identifier") return null
  if (enclosing(node, ["import_statement"], ["statement_block"]) !== null) return { ...at, kind: "import" }
  if (parent.type === "export_specifier") {
    const isForeign = enclosing(node, ["export_statement"])?.childForFieldName("source") !== null
    return isForeign || !is("name") ? { ...at, kind: "import" } : { ...at, kind: "use" }
  }
  if (node.type === "shorthand_property_identifier_pattern" || isBinding(node)) {
    return { ...at, kind: isLoaded(node) ? "import" : isTop(node) ? "definition" : "binding" }
  }
  return { ...at, kind: "use", ...usageOf(node), ...membersGiven(node) }
}

/** The members of the object that a declaration with this type, or an element of this component, creates. */
const membersGiven = (name: SyntaxNode): Pick<Occurrence, "members"> => {
  const parent = name.parent
  const declaration = parent?.type === "type_annotation" ? parent.parent : null
  const value = declaration?.type === "variable_declarator" ? declaration.childForFieldName("value") : null
  const isElement = parent !== null && /^jsx_(?:opening|self_closing)_element$/.test(parent.type)
  const parts = isElement ? parent.namedChildren.slice(1) : value?.type === "object" ? value.namedChildren : null
  if (parts === null) return {}
  const keys = parts.map(
    (part) => (part.childForFieldName("key") ?? part.childForFieldName("name"))?.text ?? firstWord(part)
  )
  const inside = parent?.type === "jsx_opening_element" ? ["children"] : []
  return {
    members: {
      positional: 0,
      keywords: [...keys.map((key) => key.replace(/^["']|["']$/g, "")), ...inside],
      spread: parts.some(
        ({ namedChildren, type }) =>
          type === "spread_element" ||
          namedChildren[0]?.type === "spread_element" ||
          namedChildren[0]?.type === "computed_property_name"
      )
    }
  }
}

const firstWord = (part: SyntaxNode): string => (part.namedChildren[0] ?? part).text

/** Is it what a `require` or an `import()` gives? */
const isLoaded = (node: SyntaxNode): boolean => {
  const declarator = enclosing(node, ["variable_declarator"], ["arrow_function", "statement_block"])
  const value = declarator?.childForFieldName("value") ?? null
  if (value === null || value.startIndex <= node.startIndex) return false
  return /^(?:await\s+)?(?:require|import)\s*\(/.test(value.text.slice(0, 40))
}

/** Is the declaration at the top of the module, not in a function or a block? */
const isTop = (node: SyntaxNode): boolean =>
  enclosing(node, ["statement_block", "arrow_function", ...functions, "method_definition", "for_statement"], [])?.id ===
    undefined ||
  (node.parent !== null &&
    [...functions, ...classes].includes(node.parent.type) &&
    /^(?:program|export_statement|ambient_declaration)$/.test(node.parent.parent?.type ?? ""))

/** The class of `this`: that of the method, not of an inner function. */
const selfOf = (node: SyntaxNode, receiver: string | null): string | null => {
  if (receiver !== "this") return null
  const until = ["function_declaration", "function_expression", "generator_function", "pair", "object"]
  const body = enclosing(node, ["class_body"], until)
  return body?.parent?.childForFieldName("name")?.text ?? null
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value" | "taken"> => {
  const call = callee.parent
  const isNew = call?.type === "new_expression" && isField(call, "constructor", callee)
  const isCall = call?.type === "call_expression" && isField(call, "function", callee)
  if (call === null || (!isNew && !isCall)) return { call: null, value: "passed" }
  const value = valueUseOf(call)
  return { call: callShape(call.childForFieldName("arguments")), value, ...(value === "read" ? { taken: 1 } : {}) }
}

const callShape = (list: SyntaxNode | null): CallShape | null => {
  // A tagged template is a call with unknown arguments.
  if (list !== null && list.type !== "arguments") return null
  const given = list === null ? [] : parts(list)
  const spread = given.some(({ type }) => type === "spread_element")
  return {
    positional: given.length,
    keywords: [],
    spread,
    ...(list === null ? {} : { lastLine: list.endPosition.row + 1 })
  }
}

const readers = /^(?:subscript_expression|binary_expression|unary_expression|parenthesized_expression)$/

const valueUseOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "await_expression") return "awaited"
  if (holder?.type === "expression_statement") return "dropped"
  if (holder?.type === "member_expression") {
    return /^(?:then|catch|finally)$/.test(textOf(holder, "property")) ? "awaited" : "read"
  }
  if (holder?.type === "variable_declarator" && holder.childForFieldName("name")?.type !== "identifier") return "read"
  return readers.test(holder?.type ?? "") && holder?.parent?.type !== "await_expression" ? "read" : "passed"
}

/** Global names of browsers, Node and the language; also names like those of DOM types. */
export const scriptGlobals: ReadonlySet<string> = new Set(
  `Array Blob Boolean Buffer Cache Comment Date Document DOMRect Element Error Event EventTarget File FileList FormData
  Function Headers History Image Intl Iterator JSON JSX Location Map MessageEvent Modernizr Node NodeJS Notification Number
  Object Option Path2D Performance Plugin Position Promise Proxy Range ReadableStream React Record Readonly Reflect RegExp
  Request Response Screen Selection Set Storage String Symbol Text TextDecoder TextEncoder Touch URL URLSearchParams
  WeakMap WeakRef WeakSet WebSocket Window Worker Partial Pick Omit Exclude Extract Required NonNullable Parameters
  ReturnType Awaited Uppercase Lowercase Capitalize AbortController AbortSignal Animation Audio Attr Lock Crypto Key
  HTMLElement HTMLInputElement KeyboardEvent MouseEvent PointerEvent Permissions Report Rect Account Client Clipboard
  alert atob btoa blur caches cancelAnimationFrame clearInterval clearTimeout close closed confirm console crypto
  customElements decodeURI decodeURIComponent describe document encodeURI encodeURIComponent escape eval event expect
  exports external fetch find focus frames getComputedStyle getSelection global globalThis history indexedDB innerHeight
  innerWidth isFinite isNaN it jest length localStorage location matchMedia module moveBy moveTo name navigator open
  opener origin parent parseFloat parseInt performance postMessage print process prompt queueMicrotask
  requestAnimationFrame requestIdleCallback require resizeTo screen scroll scrollBy scrollTo scrollX scrollY self
  sessionStorage setImmediate setInterval setTimeout status stop structuredClone test top undefined unescape vi window
  beforeEach afterEach beforeAll afterAll React`.split(/\s+/)
)
