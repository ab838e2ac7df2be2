/**
 * What a C or C++ file declares, includes and calls. Pure.
 *
 * The text is read as if every branch of the preprocessor held. A declaration that the same file defines further
 * down is left out. Names inside a namespace or class have it as their container; an enum's members have the enum.
 */
import type {
  CallShape,
  Definition,
  FileSymbols,
  ImportedName,
  Occurrence,
  Parameter,
  Signature,
  Visibility
} from "../../domain/Symbol.ts"
import type { SyntaxNode } from "../../domain/Syntax.ts"
import { childOf, enclosing, parts } from "../tree.ts"
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
  parameterOf,
  plainPath,
  textOf,
  withoutOverloads
} from "./draft.ts"

export const cSymbols = (root: SyntaxNode, path: string): FileSymbols => {
  const imports = cImports(root)
  const draft: CDraft = { ...draftOf(root, imports), declared: new Map(), isC: /\.[ch]$/i.test(path) }
  draft.stars.push(...imports.filter(({ name, local }) => name === null && local === "").map(({ module }) => module))
  readBody(root, { path: null, fields: new Set(), visibility: null }, draft, 0)
  const { declared: _declared, isC: _isC, ...whole } = finishedOf(draft)
  return { ...whole, definitions: withoutOverloads(whole.definitions) }
}

interface CDraft extends Draft {
  /** Container and name of a declaration to what it declares: gone when the definition follows. */
  readonly declared: Map<string, Definition>
  readonly isC: boolean
}

const finishedOf = (draft: CDraft) => {
  const defined = new Set(draft.definitions.map(keyOf))
  for (const [key, declaration] of draft.declared) if (!defined.has(key)) draft.definitions.push(declaration)
  return { ...draft, ...finished(draft) }
}

const keyOf = ({ container, name }: Pick<Definition, "container" | "name">): string => `${container}\n${name}`

interface Scope {
  readonly path: string | null
  readonly fields: Set<string>
  /** Null outside of classes. */
  visibility: Visibility | null
}

const readBody = (body: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  if (depth > deepest) return
  for (const statement of body.namedChildren) readStatement(statement, scope, draft, depth)
}

/** What only stands around declarations. */
const transparent =
  /^(?:preproc_(?:if|ifdef|ifndef|else|elif|elifdef)|linkage_specification|declaration_list|template_declaration|export_declaration|ERROR)$/

const readStatement = (node: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  switch (node.type) {
    case "function_definition":
    case "inline_method_definition":
      readDeclaration(node, scope, draft, depth)
      break
    case "declaration":
    case "field_declaration":
      readDeclaration(node, scope, draft, depth)
      break
    case "type_definition":
      readTypedef(node, scope, draft, depth)
      break
    case "alias_declaration":
    case "concept_definition":
      define(draft, node, {
        name: textOf(node, "name"),
        kind: "type",
        container: scope.path,
        visibility: scope.visibility
      })
      break
    case "namespace_definition": {
      const name = textOf(node, "name").replace(/\s+/g, "")
      const body = node.childForFieldName("body")
      const inner: Scope = {
        path: name === "" ? scope.path : nested(scope.path, name, "::"),
        fields: new Set(),
        visibility: name === "" ? "private" : scope.visibility
      }
      if (body !== null) readBody(body, inner, draft, depth + 1)
      break
    }
    case "access_specifier":
      scope.visibility = accessOf(node.text)
      break
    case "preproc_def":
      // Without a value it is a switch: the guard of a header, mostly.
      if (node.childForFieldName("value") !== null) {
        define(draft, node, { name: textOf(node, "name"), kind: "constant", container: null })
      }
      break
    case "preproc_function_def":
      define(draft, node, {
        name: textOf(node, "name"),
        kind: "function",
        container: null,
        signature: macroSignature(node.childForFieldName("parameters"))
      })
      break
    default:
      if (transparent.test(node.type)) readBody(node, scope, draft, depth + 1)
      else readTypeIn(node, scope, draft, depth, null)
  }
}

const accessOf = (text: string): Visibility =>
  text.startsWith("private") ? "private" : text.startsWith("protected") ? "protected" : "public"

const macroSignature = (list: SyntaxNode | null): Signature => {
  const parameters = (list?.children ?? []).flatMap((child): ReadonlyArray<Parameter> => {
    if (child.type === "...") return [parameterOf("...", "rest", false)]
    return child.type === "identifier" ? [parameterOf(child.text, "positional-only", true)] : []
  })
  return called(parameters)
}

const specifiers = /^(?:class|struct|union|enum)_specifier$/

/** A class, struct, union or enum that is written out here; its name, or the one a `typedef` gives it. */
const readTypeIn = (
  node: SyntaxNode | null,
  scope: Scope,
  draft: CDraft,
  depth: number,
  given: string | null
): void => {
  const body = node?.childForFieldName("body") ?? null
  if (node === null || body === null || !specifiers.test(node.type)) return
  const written = bareType(textOf(node, "name")) || (given ?? "")
  const path = written === "" ? scope.path : nested(scope.path, written, "::")
  const { container, name } = apart(path ?? "")
  const isEnum = node.type === "enum_specifier"
  if (written !== "") {
    define(draft, node, { name, kind: isEnum ? "type" : "class", container, visibility: scope.visibility })
  }
  const isScoped = isEnum && node.children.some(({ type }) => type === "class" || type === "struct")
  const inner: Scope = {
    path,
    fields: new Set(),
    visibility: isEnum
      ? isScoped
        ? null
        : scope.visibility
      : node.type === "class_specifier"
        ? "private"
        : draft.isC
          ? null
          : "public"
  }
  if (isEnum) readEnumerators(body, inner, draft, depth + 1)
  else readBody(body, inner, draft, depth + 1)
  const parents = (childOf(node, "base_class_clause")?.namedChildren ?? [])
    .filter(({ type }) => /^(?:type_identifier|qualified_identifier|template_type)$/.test(type))
    .map(({ text }) => bareType(text))
  defineType(draft, written === "" ? "" : (path ?? ""), parents.length > 0, inner.fields, parents)
}

const readEnumerators = (body: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  if (depth > deepest) return
  for (const child of body.namedChildren) {
    if (child.type === "enumerator") {
      define(draft, child, {
        name: textOf(child, "name"),
        kind: "constant",
        container: scope.path,
        visibility: scope.visibility
      })
    } else if (transparent.test(child.type)) readEnumerators(child, scope, draft, depth + 1)
  }
}

/** `typedef struct node { } node_t, *node_p` */
const readTypedef = (node: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  const type = node.childForFieldName("type")
  const names = declaratorsOf(node).map(declaredBy)
  const isAnonymous =
    type !== null && type.childForFieldName("body") !== null && type.childForFieldName("name") === null
  const plain = isAnonymous ? names.findIndex((each) => each?.isPlain === true) : -1
  readTypeIn(type, scope, draft, depth, names[plain]?.name ?? null)
  for (const [at, declared] of names.entries()) {
    if (declared === null || at === plain || declared.name === textOf(type ?? node, "name")) continue
    define(draft, node, { name: declared.name, kind: "type", container: scope.path, visibility: scope.visibility })
  }
}

/** All of a declaration's declarators: they share one field name. */
const declaratorsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const [first] = [node.childForFieldName("declarator")]
  if (first === null) return []
  const isOne = node.type === "function_definition" || node.type === "inline_method_definition"
  if (isOne) return [first]
  return node.namedChildren.filter(
    (child) =>
      child.startIndex >= first.startIndex &&
      /declarator$|^(?:type_|field_|qualified_)?identifier$|^operator_/.test(child.type)
  )
}

interface Declared {
  /** Whole, with its qualifiers: `ns::Box::draw`. */
  readonly name: string
  /** The parameters, when it is a function. */
  readonly parameters: SyntaxNode | null
  /** Neither a pointer nor an array nor a function. */
  readonly isPlain: boolean
  readonly initialized: boolean
}

/** Unwraps `*(f[3])(int)` down to its name; what is nearest to the name says what it is. */
const declaredBy = (declarator: SyntaxNode): Declared | null => {
  let at: SyntaxNode | null = declarator
  let parameters: SyntaxNode | null = null
  let isPlain = true
  let initialized = false
  for (let steps = 0; at !== null && steps < 40; steps++) {
    switch (at.type) {
      case "init_declarator":
        initialized = true
        at = at.childForFieldName("declarator")
        break
      case "function_declarator":
        parameters = at.childForFieldName("parameters")
        isPlain = false
        at = at.childForFieldName("declarator")
        break
      case "pointer_declarator":
      case "array_declarator":
        parameters = null
        isPlain = false
        at = at.childForFieldName("declarator")
        break
      case "reference_declarator":
        parameters = null
        at = parts(at).at(-1) ?? null
        break
      case "parenthesized_declarator":
      case "attributed_declarator":
        at = parts(at)[0] ?? null
        break
      case "operator_cast":
        return {
          name: `operator ${textOf(at, "type")}`,
          parameters: childOf(at, "abstract_function_declarator")?.childForFieldName("parameters") ?? null,
          isPlain: false,
          initialized
        }
      case "identifier":
      case "field_identifier":
      case "type_identifier":
      case "qualified_identifier":
      case "operator_name":
      case "destructor_name":
      case "template_function":
        return { name: withoutArguments(at.text), parameters, isPlain, initialized }
      default:
        return null
    }
  }
  return null
}

/** `ns::Box<std::pair<int, int>>::draw` is ns::Box::draw. */
const withoutArguments = (text: string): string => {
  const squeezed = text.replace(/\s+/g, "").replace(/^::/, "")
  if (!squeezed.includes("<") || squeezed.includes("operator")) return squeezed
  let depth = 0
  let bare = ""
  for (const char of squeezed) {
    if (char === "<") depth++
    else if (char === ">") depth--
    else if (depth === 0) bare += char
  }
  return bare
}

/** The last part of a qualified name, and what stands before it. */
const apart = (path: string): { readonly container: string | null; readonly name: string } => {
  const operator = path.indexOf("operator")
  const cut = path.lastIndexOf("::", operator < 0 ? undefined : operator)
  return cut < 0 ? { container: null, name: path } : { container: path.slice(0, cut), name: path.slice(cut + 2) }
}

const readDeclaration = (node: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  readTypeIn(node.childForFieldName("type"), scope, draft, depth, null)
  const words = node.children.flatMap((child) => (child.type === "storage_class_specifier" ? [child.text] : []))
  const isMember = node.type === "field_declaration" || scope.visibility !== null
  const isStatic = words.includes("static") && !isMember
  const visibility = isStatic ? "private" : scope.visibility
  for (const declarator of declaratorsOf(node)) {
    const declared = declaredBy(declarator)
    if (declared === null) continue
    const { container, name } = apart(nested(scope.path, declared.name, "::"))
    // Macros before a function are read as its type, and the like; keywords are no names.
    if (name === "" || keywords.test(name)) continue
    const isDefined = node.type !== "declaration" && node.type !== "field_declaration"
    if (declared.parameters !== null) {
      const inClass = container !== null && (isMember || container !== scope.path)
      const signature = signatureOf(declared.parameters, draft.isC)
      const one = {
        name,
        kind: inClass ? ("method" as const) : ("function" as const),
        container,
        signature,
        visibility
      }
      if (isDefined || isMember) define(draft, node, one)
      else declare(draft, node, one)
    } else if (!isDefined) {
      if (isMember) scope.fields.add(name)
      const one = { name, kind: "constant" as const, container, visibility }
      if (words.includes("extern") && !declared.initialized) declare(draft, node, one)
      else define(draft, declarator, one)
    }
  }
}

const keywords = /^(?:if|else|for|while|switch|return|do|case|default|sizeof|defined)$/

/** Counts only when nothing in the file defines it. */
const declare = (draft: CDraft, node: SyntaxNode, one: Parameters<typeof define>[2]): void => {
  const key = keyOf(one)
  const before = draft.definitions.length
  define(draft, node, one)
  const [declaration] = draft.definitions.splice(before)
  if (declaration !== undefined && !draft.declared.has(key)) draft.declared.set(key, declaration)
}

const signatureOf = (list: SyntaxNode, isC: boolean): Signature => {
  const given = parts(list)
  const [only] = given
  const isVoid = given.length === 1 && only?.text === "void"
  const parameters = isVoid ? [] : list.children.flatMap(parametersIn)
  // In C, `f()` leaves open what it takes.
  return called(parameters, { strict: !(isC && given.length === 0 && parameters.length === 0) })
}

const parametersIn = (part: SyntaxNode): ReadonlyArray<Parameter> => {
  const name = () => {
    const declarator = part.childForFieldName("declarator")
    return declarator === null ? "" : (declaredBy(declarator)?.name ?? "")
  }
  switch (part.type) {
    case "parameter_declaration":
      return [parameterOf(name(), "positional-only", true)]
    case "optional_parameter_declaration":
      return [parameterOf(name(), "positional-only", false)]
    case "variadic_parameter_declaration":
    case "variadic_parameter":
    case "...":
      return [parameterOf("...", "rest", false)]
    default:
      return []
  }
}

/** `#include`, with its brackets where it has them; in C++ also `using`. */
export const cImports = (root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const found: Array<ImportedName> = []
  for (const { 0: word, 1: before = "", index } of root.text.matchAll(/^([ \t]*)(?:#[ \t]*include|using)\b/gm)) {
    const at = root.startIndex + index + before.length
    const leaf = root.descendantForIndex(at, root.startIndex + index + word.length)
    const node = leaf === null || /^(?:preproc_include|using_declaration)$/.test(leaf.type) ? leaf : leaf.parent
    if (node?.type === "preproc_include") {
      const path = textOf(node, "path").replace(/^"|"$/g, "")
      if (path !== "") found.push(imported(node, path, null, ""))
    } else if (node?.type === "using_declaration") {
      const path = parts(node).at(-1)?.text.replace(/\s+/g, "") ?? ""
      const { container, name } = apart(path)
      if (node.children[1]?.type === "namespace") found.push(imported(node, path, null, ""))
      else if (container !== null) found.push(imported(node, container, name, name))
    }
  }
  return found
}

const names = /^(?:identifier|field_identifier|type_identifier|namespace_identifier)$/

/** What the word at this node is to the code around it; null for what is no name at all. */
export const cOccurrence = (node: SyntaxNode): Occurrence | null => {
  const parent = node.parent
  if (parent === null || !names.test(node.type)) return null
  if (parent.type === "using_declaration") return occurrenceAt(node, "import")
  if (
    /^(?:preproc_def|preproc_function_def|enumerator|alias_declaration|concept_definition|namespace_definition)$/.test(
      parent.type
    ) &&
    isIn(node, "name")
  ) {
    return occurrenceAt(node, "definition")
  }
  if (parent.type === "preproc_params") return occurrenceAt(node, "binding")
  if (specifiers.test(parent.type) && isIn(node, "name")) {
    return occurrenceAt(node, parent.childForFieldName("body") === null ? "use" : "definition")
  }
  if (parent.type === "field_expression" && isIn(node, "field")) {
    const receiver = plainPath(parent.childForFieldName("argument"))
    return occurrenceAt(node, "member", {
      receiver,
      self: receiver === "this" ? classAround(node) : null,
      ...usageOf(parent)
    })
  }
  const declared = declarationOf(node)
  if (declared !== null) return occurrenceAt(node, declared)
  return used(node, parent)
}

const used = (node: SyntaxNode, parent: SyntaxNode): Occurrence => {
  const isQualified = parent.type === "qualified_identifier" && isIn(node, "name")
  const isGeneric = /^template_(?:function|type|method)$/.test(parent.type) && isIn(node, "name")
  if (isGeneric && parent.parent?.type === "field_expression") {
    return occurrenceAt(node, "member", {
      receiver: plainPath(parent.parent.childForFieldName("argument")),
      ...usageOf(parent.parent)
    })
  }
  if (isGeneric && parent.parent?.type === "qualified_identifier" && isIn(parent, "name")) {
    return occurrenceAt(node, "member", { receiver: scopeText(parent.parent), ...usageOf(outermost(parent.parent)) })
  }
  if (isQualified) return occurrenceAt(node, "member", { receiver: scopeText(parent), ...usageOf(outermost(parent)) })
  return occurrenceAt(node, "use", usageOf(isGeneric ? parent : node))
}

/** Everything before the last name: `a::b` in `a::b::c`, of which the syntax makes `a::(b::c)`. */
const scopeText = (qualified: SyntaxNode): string | null => {
  const whole = outermost(qualified)
  const name = qualified.childForFieldName("name")
  if (name === null) return null
  const text = withoutArguments(whole.text.slice(0, name.startIndex - whole.startIndex))
  return text.length > 200 ? null : text.replace(/::$/, "")
}

const outermost = (qualified: SyntaxNode): SyntaxNode => {
  let at = qualified
  for (let steps = 0; at.parent?.type === "qualified_identifier" && steps < deepest; steps++) at = at.parent
  return at
}

/** When the node is the name that a declaration gives. */
const declarationOf = (node: SyntaxNode): "definition" | "binding" | null => {
  let at = node
  for (let steps = 0; at.parent !== null && steps < 40; steps++, at = at.parent) {
    const { parent } = at
    if (parent.type === "qualified_identifier" && parent.childForFieldName("name")?.id !== at.id) return null
    if (/^(?:pointer|function|init|array)_declarator$/.test(parent.type)) {
      if (parent.childForFieldName("declarator")?.id !== at.id) return null
      continue
    }
    if (
      /^(?:reference|parenthesized|attributed)_declarator$|^(?:qualified_identifier|destructor_name)$/.test(parent.type)
    )
      continue
    if (/^(?:function_definition|field_declaration|type_definition)$/.test(parent.type)) {
      return isDeclarator(at, parent) ? "definition" : null
    }
    if (parent.type === "declaration") {
      if (!isDeclarator(at, parent)) return null
      return enclosing(parent, ["compound_statement"], ["field_declaration_list"]) === null ? "definition" : "binding"
    }
    if (/parameter_declaration$/.test(parent.type)) {
      return /^type_parameter/.test(parent.type) || parent.childForFieldName("declarator")?.id === at.id
        ? "binding"
        : null
    }
    return parent.type === "for_range_loop" && parent.childForFieldName("declarator")?.id === at.id ? "binding" : null
  }
  return null
}

const isDeclarator = (node: SyntaxNode, declaration: SyntaxNode): boolean =>
  declaratorsOf(declaration).some(({ id }) => id === node.id)

/** The class whose object `this` is: around the method, or before its name. */
const classAround = (node: SyntaxNode): string | null => {
  const body = enclosing(node, ["function_definition"])
  const declarator = body?.childForFieldName("declarator") ?? null
  const written = declarator === null ? null : (declaredBy(declarator)?.name ?? null)
  const own = written === null ? null : apart(written).container
  const around: Array<string> = own === null ? [] : [own]
  for (let at = node.parent; at !== null && around.length <= deepest; at = at.parent) {
    if (!/^(?:class|struct|union)_specifier$|^namespace_definition$/.test(at.type)) continue
    const name = withoutArguments(textOf(at, "name"))
    if (name !== "") around.unshift(name)
  }
  return around.length === 0 ? null : around.join("::")
}

const usageOf = (callee: SyntaxNode): Pick<Occurrence, "call" | "value"> => {
  const call = callee.parent
  const isCall = call?.type === "call_expression" && call.childForFieldName("function")?.id === callee.id
  const isNew = call?.type === "new_expression" && call.childForFieldName("type")?.id === callee.id
  if (call == null || (!isCall && !isNew)) return { call: null, value: "passed" }
  return { call: callShape(call.childForFieldName("arguments")), value: fateOf(call) }
}

const callShape = (list: SyntaxNode | null): CallShape | null => {
  if (list !== null && list.type !== "argument_list") return null
  const given = list === null ? [] : parts(list)
  const spread = given.some(({ type }) => type === "parameter_pack_expansion" || type === "ERROR")
  return { positional: given.length, keywords: [], spread }
}

const fateOf = (call: SyntaxNode): Occurrence["value"] => {
  const holder = call.parent
  if (holder?.type === "expression_statement") return "dropped"
  if (holder?.type === "init_declarator") return "stored"
  return holder?.type === "field_expression" ? "read" : "passed"
}
