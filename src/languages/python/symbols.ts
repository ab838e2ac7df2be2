/** What a Python module defines, imports and exports. Conservative: code that is not plain makes the file `open`. */
import type {
  CallShape,
  Definition,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  TypeShape
} from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { definitionOf, ofItself, resultFrom, typeFrom } from "../definition.ts"
import { imported } from "../imported.ts"
import { enclosing, identifiers, isField, lineOf, marked, parts, partsOf, squeezed, textOf } from "../tree.ts"
import { knownMembers } from "./bases.ts"
import { isBinding } from "./bindings.ts"
import { generatedSignature, keepsMembers } from "./constructors.ts"
import { givenOrigin, pythonOrigin, selfTypes, valueType } from "./origins.ts"
import { resultCount, takenCount } from "./results.ts"

interface Found {
  readonly definitions: Array<Definition>
  readonly types: Array<TypeShape>
  readonly imports: Array<ImportedName>
  readonly stars: Array<string>
  readonly bound: Set<string>
}

export const pythonSymbols = (root: SyntaxNode): FileSymbols => {
  const found: Found = { definitions: [], types: [], imports: [], stars: [], bound: new Set() }
  readBlock(root, found)
  for (const statement of marked(root, ["global_statement"], /\bglobal\b/g)) {
    for (const { text } of identifiers(statement)) found.bound.add(text)
  }
  return {
    ...found,
    types: found.types.map((type) => withParents(type, found)),
    exports: null,
    package: "",
    listed: listedNames(root),
    hasAllMembers: !root.hasError,
    open:
      root.hasError ||
      dynamic.test(root.text) ||
      found.definitions.some(({ container, name }) => container === null && name === "__getattr__")
  }
}

/** The names in a plain `__all__`; null if there is none, or it is computed. */
const listedNames = (root: SyntaxNode): ReadonlyArray<string> | null => {
  const assignments = root.namedChildren.flatMap((statement) => {
    const inner = statement.type === "expression_statement" ? statement.namedChildren[0] : undefined
    return inner?.childForFieldName("left")?.text === "__all__" ? [inner] : []
  })
  const [only] = assignments
  const value = assignments.length === 1 && only?.type === "assignment" ? only.childForFieldName("right") : null
  if (value === null || !/^(?:list|tuple)$/.test(value.type) || /__all__\s*\.|__all__\s*\+=/.test(root.text))
    return null
  const items = parts(value)
  return items.every(({ type }) => type === "string")
    ? items.map(({ text }) => text.replace(/^\w*["']+|["']+$/g, ""))
    : null
}

/** Code that may define names of a module dynamically. */
const dynamic =
  /\b(?:globals|vars|locals)\(\)\s*(?:\[|\.(?:update|setdefault))|\bsys\.modules\[[^\]]*\]\s*=[^=]|\bsys\.modules\[__name__\]|^exec\(|\bsetattr\(sys\b/m

/** Reads the statements that run when the module is loaded, nested ones included. */
const readBlock = (block: SyntaxNode, found: Found): void => {
  for (const statement of block.namedChildren) readStatement(statement, found)
}

const readStatement = (statement: SyntaxNode, found: Found): void => {
  switch (statement.type) {
    case "function_definition":
    case "class_definition":
      readDefinition(statement, [], found)
      break
    case "decorated_definition": {
      const definition = statement.childForFieldName("definition")
      const decorators = statement.namedChildren.filter(({ type }) => type === "decorator")
      if (definition !== null) readDefinition(definition, decorators, found)
      break
    }
    case "import_statement":
    case "import_from_statement":
    case "future_import_statement":
      readImport(statement, found)
      break
    case "expression_statement":
      for (const part of statement.namedChildren) if (part.type === "assignment") readAssignment(part, found)
      for (const walrus of marked(statement, ["named_expression"], /:=/g)) bindAll(walrus.namedChildren[0], found)
      break
    case "type_alias_statement":
      bindAll(statement.childForFieldName("left"), found)
      break
    case "for_statement":
      bindAll(statement.childForFieldName("left"), found)
      readBlock(statement, found)
      break
    case "with_statement":
      for (const target of statement.descendantsOfType("as_pattern_target")) bindAll(target, found)
      readBlock(statement, found)
      break
    case "match_statement":
      bindAll(statement, found)
      break
    default:
      // `if`, `else`, `try`, `except`, `finally`, `while`, and their blocks.
      if (/_statement$|_clause$|^block$/.test(statement.type)) readBlock(statement, found)
  }
}

const bindAll = (target: SyntaxNode | null | undefined, { bound }: Found): void => {
  for (const { text } of identifiers(target ?? null)) bound.add(text)
}

/** `a = b = 1` is one assignment inside another. */
const readAssignment = (assignment: SyntaxNode, found: Found): void => {
  const left = assignment.childForFieldName("left")
  const right = assignment.childForFieldName("right")
  if (left?.type === "identifier") {
    const type = assignment.childForFieldName("type")?.text ?? valueType(right)
    found.definitions.push({
      ...definitionOf(left.text, "constant", null, null, assignment),
      ...(type === null ? {} : { type })
    })
  } else if (left !== null && /pattern|list|tuple/.test(left.type)) bindAll(left, found)
  if (right?.type === "assignment") readAssignment(right, found)
}

/** The annotated type of a result, or its origin; unknown if a decorator may change it. */
const resultOf = (node: SyntaxNode, plain: boolean): Pick<Definition, "type" | "valueOrigin"> => {
  const { type = null } = typeFrom(node.childForFieldName("return_type"))
  return plain ? resultFrom(type, () => givenOrigin(node)) : {}
}

/** Decorators that do not change the signature. */
const plainDecorators = /^@(?:staticmethod|classmethod|(?:abc\.)?abstractmethod|(?:typing\.)?(?:final|override))$/

const readDefinition = (node: SyntaxNode, decorators: ReadonlyArray<SyntaxNode>, found: Found): void => {
  const name = textOf(node, "name")
  const plain = decorators.every((decorator) => plainDecorators.test(squeezed(decorator)))
  if (node.type === "function_definition") {
    const signature = plain ? withResults(signatureOf(node, 0), node) : null
    found.definitions.push({ ...definitionOf(name, "function", null, signature, node), ...resultOf(node, plain) })
    return
  }
  const body = node.childForFieldName("body")
  const members = body === null ? [] : membersOf(body)
  found.definitions.push(definitionOf(name, "class", null, constructorOf(node, decorators, members, found), node))
  for (const member of members) {
    const signature = member.signature === null ? null : withResults(member.signature, member.node)
    const definition = definitionOf(member.name, "method", name, signature, member.node)
    found.definitions.push({
      ...definition,
      ...ofItself(resultOf(member.node, member.signature !== null), name, "Self")
    })
  }
  for (const attribute of body === null ? [] : attributesOf(body)) {
    found.definitions.push(definitionOf(attribute.text, "constant", name, null, attribute.parent ?? attribute))
  }
  const setsAny = body !== null && setsAttributes.test(body.text)
  const isKept = decorators.every((decorator) => keepsMembers(decorator, found.imports))
  const answersAll = setsAny || members.some((member) => /^__getattr(?:ibute)?__$/.test(member.name))
  const assignments = body === null ? [] : assignmentsIn(body)
  const ofNames = assignments.flatMap(({ assignment }) => (assignment.type === "assignment" ? [assignment] : []))
  found.types.push({
    name,
    open: !isKept || answersAll,
    parents: parents(node),
    marks: !isKept || answersAll || hasMetaclass(node) ? "dynamic" : "",
    fields: fieldsOf(assignments),
    fieldTypes: body === null ? [] : [...selfTypes(body, ofNames), ...members.flatMap(propertyType)]
  })
}

const constructorOf = (
  node: SyntaxNode,
  decorators: ReadonlyArray<SyntaxNode>,
  members: ReadonlyArray<Member>,
  { imports }: Found
): Signature | null => {
  if (hasMetaclass(node) || members.some(({ name }) => name === "__new__" || name === "__call__")) return null
  const [initializer, ...others] = members.filter(({ name }) => name === "__init__")
  if (initializer === undefined) return generatedSignature(node, decorators, imports)
  return decorators.length === 0 && others.length === 0 ? initializer.signature : null
}

const withResults = (signature: Signature, node: SyntaxNode): Signature => {
  const results = resultCount(node)
  return results === undefined ? signature : { ...signature, results }
}

/** Code that sets attributes of an object by their names. */
const setsAttributes =
  /\bsetattr\(\s*(?:self|cls)\b|\b(?:(?:self|cls)\.__dict__|vars\(\s*(?:self|cls)\s*\))\s*(?:\.(?:update|setdefault)\b|=(?!=)|\[\s*[^'"\s\]][^\]]*\]\s*=(?!=))/

/** Without built-in parents, whose attributes are known; any other parent leaves the class open. */
const withParents = (type: TypeShape, { bound, definitions, imports }: Found): TypeShape => {
  const isOwn = (name: string) =>
    bound.has(name) || definitions.some((each) => each.container === null && each.name === name)
  const brought = (type.parents ?? []).map((written) => ({ written, names: knownMembers(written, imports, isOwn) }))
  const others = brought.flatMap(({ names, written }) => (names === null ? [written.replace(/\[.*\]$/s, "")] : []))
  return {
    ...type,
    open: type.open || others.length > 0,
    parents: others,
    fields: new Map([
      ...brought.flatMap(({ names }) => names ?? []).map((member) => [member, 0] as const),
      ...type.fields
    ])
  }
}

/** The left sides of the plain assignments in a class body. */
const attributesOf = (body: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  body.namedChildren.flatMap((statement) => {
    const assignment = statement.type === "expression_statement" ? statement.namedChildren[0] : undefined
    const left = assignment?.type === "assignment" ? assignment.childForFieldName("left") : null
    return left?.type === "identifier" ? [left] : []
  })

const parents = (node: SyntaxNode): ReadonlyArray<string> => {
  return partsOf(node, "superclasses").map(({ text }) => text)
}

const hasMetaclass = (node: SyntaxNode): boolean =>
  parents(node).some((parent) => /^metaclass\s*=(?!\s*(?:abc\.)?ABCMeta$)/.test(parent))

interface Member {
  readonly name: string
  readonly signature: Signature | null
  readonly node: SyntaxNode
  readonly isProperty: boolean
}

/** The annotated type of a property. */
const propertyType = ({ isProperty, name, node }: Member): ReadonlyArray<readonly [string, string]> => {
  const type = isProperty ? node.childForFieldName("return_type") : null
  return type === null ? [] : [[name, squeezed(type)]]
}

const membersOf = (body: SyntaxNode): ReadonlyArray<Member> =>
  body.namedChildren.flatMap((statement) => {
    const node = statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement
    if (node?.type === "if_statement" || node?.type === "try_statement") {
      return node.descendantsOfType("block").flatMap(membersOf)
    }
    if (node?.type !== "function_definition") return []
    const decorators = statement.namedChildren.filter(({ type }) => type === "decorator").map(squeezed)
    const plain = decorators.every((decorator) => plainDecorators.test(decorator))
    const drop = decorators.includes("@staticmethod") ? 0 : 1
    const name = textOf(node, "name")
    const isProperty = decorators.length === 1 && /^@(?:\w+\.)?(?:cached_)?property$/.test(decorators[0] ?? "")
    return [{ name, signature: plain ? signatureOf(node, drop) : null, node, isProperty }]
  })

interface Assigned {
  readonly assignment: SyntaxNode
  /** Is it in a method, and not in an inner class? */
  readonly isLocal: boolean
}

/** Every assignment in a class's body. */
const assignmentsIn = (body: SyntaxNode): ReadonlyArray<Assigned> => {
  const around: Array<SyntaxNode> = []
  const kinds = ["assignment", "augmented_assignment", "function_definition", "class_definition"]
  return body.descendantsOfType(kinds).flatMap((node) => {
    while ((around.at(-1)?.endIndex ?? Number.POSITIVE_INFINITY) <= node.startIndex) around.pop()
    if (node.type.endsWith("assignment")) {
      return [{ assignment: node, isLocal: around.at(-1)?.type === "function_definition" }]
    }
    around.push(node)
    return []
  })
}

/** Attributes of the class and of `self` in its methods. */
const fieldsOf = (assignments: ReadonlyArray<Assigned>): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  for (const { assignment, isLocal } of assignments) {
    const left = assignment.childForFieldName("left")
    // A name that a method assigns is local, unless it follows a dot.
    for (const node of left === null ? [] : targetsIn(left)) {
      const isAttribute = node.type === "attribute"
      const name = isAttribute ? node.childForFieldName("attribute") : isLocal ? null : node
      if (name?.type !== "identifier") continue
      // The attribute of another object may be one of this class, too.
      const isOwn = !isAttribute || /^(?:self|cls)$/.test(textOf(node, "object"))
      lines.set(name.text, lines.get(name.text) || (isOwn ? lineOf(name) : 0))
    }
  }
  return lines
}

/** The names and attributes that an assignment gives a value; an element of an attribute is none. */
const targetsIn = (left: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  /^(?:identifier|attribute)$/.test(left.type)
    ? [left]
    : left.type === "subscript"
      ? []
      : left.namedChildren.flatMap(targetsIn)

/** `drop`: the number of implicit parameters (`self`, `cls`). */
export const signatureOf = (node: SyntaxNode, drop: number): Signature => {
  const parameters: Array<Parameter> = []
  let kind: Parameter["kind"] = "positional"
  for (const part of partsOf(node, "parameters")) {
    if (part.type === "positional_separator") {
      for (const [at, parameter] of parameters.entries()) parameters[at] = { ...parameter, kind: "positional-only" }
      continue
    }
    if (part.type === "keyword_separator") {
      kind = "keyword"
      continue
    }
    const inner = part.type === "typed_parameter" ? part.namedChildren[0] : part
    const name = (part.childForFieldName("name") ?? identifiers(inner ?? part)[0])?.text ?? ""
    if (inner?.type === "list_splat_pattern") {
      parameters.push({ name, kind: "rest", required: false })
      kind = "keyword"
    } else if (inner?.type === "dictionary_splat_pattern") parameters.push({ name, kind: "keywords", required: false })
    else {
      const required = !/default/.test(part.type)
      parameters.push({ name, kind, required, ...typeFrom(part.childForFieldName("type")) })
    }
  }
  const first = parameters[0]
  const filled = drop === 0 || first === undefined || first.kind === "rest" ? 0 : 1
  return { parameters: parameters.slice(filled), async: node.children[0]?.type === "async", strict: true }
}

const readImport = (statement: SyntaxNode, found: Found): void => {
  const from = statement.childForFieldName("module_name")
  const module = from?.text.replace(/\s/g, "") ?? null
  if (module !== null && statement.namedChildren.some(({ type }) => type === "wildcard_import")) {
    found.stars.push(module)
  }
  found.imports.push(...importedNames(statement, from, module))
}

const importedNames = (
  statement: SyntaxNode,
  from: SyntaxNode | null,
  module: string | null
): ReadonlyArray<ImportedName> =>
  statement.namedChildren
    .filter((child) => child.id !== from?.id && (child.type === "dotted_name" || child.type === "aliased_import"))
    .map((child) => {
      const name = child.childForFieldName("name")?.text ?? child.text
      const alias = child.childForFieldName("alias")?.text
      const [source, taken] = module === null ? [name, null] : [module, name]
      return imported(child, source, taken, alias ?? name, isGuarded(statement))
    })

/** Every import of the file, including those in functions. */
export const pythonImports = (root: SyntaxNode): ReadonlyArray<ImportedName> =>
  marked(root, ["import_statement", "import_from_statement"], /\bimport\b/g).flatMap((statement) => {
    const from = statement.childForFieldName("module_name")
    const module = from?.text.replace(/\s/g, "") ?? null
    const named = importedNames(statement, from, module)
    if (module === null || named.length > 0) return named
    // `from m import *` loads the module and shows no bound names.
    return [imported(statement, module, null, "", isGuarded(statement))]
  })

/** Is it in a `try` that catches the error of a missing name or module, or in a test that expects it? */
const isGuarded = (statement: SyntaxNode): boolean => {
  for (let at = statement.parent; at !== null; at = at.parent) {
    if (at.type === "with_statement" && /raises|suppress|warns/.test(at.namedChildren[0]?.text ?? "")) return true
    if (at.type !== "try_statement") continue
    const caught = at.namedChildren.filter(({ type }) => type === "except_clause")
    if (
      caught.some((clause) => /^except\s*(?::|.*(?:ImportError|NotFound|Exception|AttributeError))/.test(clause.text))
    )
      return true
  }
  return false
}

/** The occurrence at this identifier; null if it is not a name. */
export const pythonOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (node.type !== "identifier" || parent === null) return null
  const at = { line: lineOf(node), receiver: null, call: null, value: "passed", self: null } as const
  const is = (field: string) => isField(parent, field, node)
  if (parent.type === "attribute" && is("attribute")) {
    const object = parent.childForFieldName("object")
    const receiver = object !== null && /^[\w.]+$/.test(object.text) ? object.text : null
    const isAssigned = parent.parent?.type === "assignment" && isField(parent.parent, "left", parent)
    if (isAssigned || parent.parent?.type === "delete_statement") return { ...at, kind: "binding", receiver }
    const origin = pythonOrigin(object)
    const self = selfOf(node, receiver)
    return { ...at, kind: "member", receiver, self, ...(origin === null ? {} : { origin }), ...usageOf(parent) }
  }
  if (parent.type === "keyword_argument" && is("name")) return null
  // `case Cart(total=x)` names an attribute.
  if (parent.type === "keyword_pattern" && parent.namedChildren[0]?.id === node.id) return null
  if (enclosing(node, ["import_statement", "import_from_statement"]) !== null) return { ...at, kind: "import" }
  if ((parent.type === "function_definition" || parent.type === "class_definition") && is("name")) {
    const isMember = enclosing(parent, ["class_definition", "function_definition"])?.type === "class_definition"
    return isMember ? null : { ...at, kind: "definition" }
  }
  return isBinding(node) ? { ...at, kind: "binding" } : { ...at, kind: "use", ...usageOf(node) }
}

/** The class of `receiver` in its own methods. */
const selfOf = (node: SyntaxNode, receiver: string | null): string | null => {
  if (receiver !== "self" && receiver !== "cls") return null
  const around = enclosing(node, ["class_definition"])
  return around?.childForFieldName("name")?.text ?? null
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value" | "taken"> => {
  const call = callee.parent
  if (call?.type !== "call" || !isField(call, "function", callee)) {
    return { call: null, value: "passed" }
  }
  const taken = takenCount(call)
  const shape = callShape(call.childForFieldName("arguments"))
  return { call: shape, value: valueUseOf(call), ...(taken === undefined ? {} : { taken }) }
}

const callShape = (list: SyntaxNode | null): CallShape => {
  const given = list === null ? [] : parts(list)
  // `f(x for x in y)` has no argument list of its own.
  if (list?.type === "generator_expression") return { positional: 1, keywords: [], spread: false }
  return {
    ...(list === null ? {} : { lastLine: list.endPosition.row + 1 }),
    positional: given.filter(({ type }) => type !== "keyword_argument").length,
    keywords: given.flatMap((part) => (part.type === "keyword_argument" ? [textOf(part, "name")] : [])),
    spread: given.some(({ type }) => type === "list_splat" || type === "dictionary_splat")
  }
}

const readers =
  /^(?:attribute|subscript|comparison_operator|binary_operator|boolean_operator|not_operator|if_statement|while_statement|for_statement)$/

const valueUseOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "await") return "awaited"
  if (holder?.type === "expression_statement") return "dropped"
  if (holder?.type === "assignment") return isHandedOn(holder) ? "passed" : "stored"
  return readers.test(holder?.type ?? "") && !isField(holder, "body", call) ? "read" : "passed"
}

/** The built-in names. */
export const pythonBuiltins: ReadonlySet<string> = new Set(
  `print input open id type list dict set str int float bool bytes tuple len min max sum any all map filter zip range
  sorted reversed iter next hash format repr vars dir object property super compile exec eval abs round pow hex oct bin
  ord chr callable getattr setattr hasattr delattr isinstance issubclass enumerate slice memoryview bytearray complex
  frozenset staticmethod classmethod globals locals help exit quit copyright license credits breakpoint aiter anext
  ascii divmod ExceptionGroup BaseExceptionGroup Exception BaseException TimeoutError ConnectionError RuntimeError
  NotImplementedError FileNotFoundError PermissionError ImportError ModuleNotFoundError Warning DeprecationWarning
  __name__ __file__ __doc__ __path__ __spec__ __all__ __version__ WindowsError reveal_type`.split(/\s+/)
)

/** Is the variable awaited, returned or passed on? Then its value may be a coroutine. */
const isHandedOn = (assignment: SyntaxNode): boolean => {
  const left = assignment.childForFieldName("left")
  if (left?.type !== "identifier") return left?.type !== "pattern_list" && left?.type !== "tuple_pattern"
  const scope = enclosing(assignment, ["function_definition", "module"])?.text ?? ""
  const name = RegExp.escape(left.text)
  return new RegExp(`(?:await|return|yield|=)\\s*${name}\\b(?!\\s*[.\\[(])|[(,*]\\s*${name}\\s*[,)]`).test(scope)
}
