/**
 * What a C or C++ file declares, includes and calls. Pure.
 *
 * The text is read as if every branch of the preprocessor held. A declaration that the same file defines further
 * down is left out. Names inside a namespace or class have it as their container; an enum's members have the enum.
 */

import type {
  Definition,
  FileSymbols,
  ImportedName,
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
  nested,
  parameterOf,
  statementsIn,
  textOf,
  withoutOverloads
} from "../draft.ts"
import { childOf, parts } from "../tree.ts"
import { apart, declaratorsOf, declaredBy } from "./declarator.ts"
import { headerGrammar } from "./header.ts"

export const cSymbols = (root: SyntaxNode, path: string): FileSymbols => {
  const imports = cImports(root)
  const draft: CDraft = {
    ...draftOf(root, imports),
    declared: new Map(),
    macros: new Set(),
    isC: /\.[ch]$/i.test(path) && headerGrammar(path, root.text) === "c"
  }
  draft.stars.push(...imports.filter(({ name, local }) => name === null && local === "").map(({ module }) => module))
  readBody(root, { path: null, fields: new Set(), isClass: false, visibility: null }, draft, 0)
  readInnerMacros(root, draft)
  const { declared: _declared, macros: _macros, isC: _isC, ...whole } = finishedOf(draft)
  return { ...whole, definitions: withoutOverloads(whole.definitions) }
}

interface CDraft extends Draft {
  /** Container and name to what is declared so: gone when as many definitions follow. */
  readonly declared: Map<string, Array<Definition>>
  /** Where the words `#define` end that were read. */
  readonly macros: Set<number>
  readonly isC: boolean
}

const finishedOf = (draft: CDraft) => {
  const defined = Map.groupBy(draft.definitions, keyOf)
  for (const [key, declarations] of draft.declared) {
    if (declarations.length > (defined.get(key)?.length ?? 0)) draft.definitions.push(...declarations)
  }
  return { ...draft, ...finished(draft) }
}

const keyOf = ({ container, name }: Pick<Definition, "container" | "name">): string => `${container}\n${name}`

interface Scope {
  readonly path: string | null
  readonly fields: Set<string>
  readonly isClass: boolean
  /** Null where the language has none. */
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
      if (isFunction(node)) readDeclaration(node, scope, draft, depth)
      else readBehindMacro(node, scope, draft, depth)
      break
    case "labeled_statement":
      if (scope.isClass) scope.visibility = accessOf(textOf(node, "label"))
      readBody(node, scope, draft, depth + 1)
      break
    case "inline_method_definition":
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
        isClass: false,
        visibility: name === "" ? "private" : scope.visibility
      }
      if (body !== null) readBody(body, inner, draft, depth + 1)
      break
    }
    case "preproc_def":
    case "preproc_function_def":
      readMacro(node, draft)
      break
    case "access_specifier":
      scope.visibility = accessOf(node.text)
      break
    default:
      if (transparent.test(node.type)) readBody(node, scope, draft, depth + 1)
      else readTypeIn(node, scope, draft, depth, null)
  }
}

const accessOf = (text: string): Visibility =>
  text.startsWith("private") ? "private" : text.startsWith("protected") ? "protected" : "public"

/** Macros hold from where they stand: those inside of functions, which nobody else looks into, are read here. */
const readInnerMacros = (root: SyntaxNode, draft: CDraft): void => {
  for (const { 0: word, index } of root.text.matchAll(/^[ \t]*#[ \t]*define\b/gm)) {
    const end = root.startIndex + index + word.length
    if (draft.macros.has(end)) continue
    const leaf = root.descendantForIndex(end - 1, end)
    if (leaf?.type === "#define" && leaf.parent !== null) readMacro(leaf.parent, draft)
  }
}

const readMacro = (node: SyntaxNode, draft: CDraft): void => {
  const name = textOf(node, "name")
  const [word] = node.children
  if (word !== undefined) draft.macros.add(word.endIndex)
  if (node.type === "preproc_function_def") {
    const signature = macroSignature(node.childForFieldName("parameters"))
    define(draft, node, { name, kind: "function", container: null, signature })
  } else if (node.type === "preproc_def" && node.childForFieldName("value") !== null) {
    // Without a value it is a switch: the guard of a header, mostly.
    define(draft, node, { name, kind: "constant", container: null })
  }
}

const macroSignature = (list: SyntaxNode | null): Signature => {
  const parameters = (list?.children ?? []).flatMap((child): ReadonlyArray<Parameter> => {
    if (child.type === "...") return [parameterOf("...", "rest", false)]
    return child.type === "identifier" ? [parameterOf(child.text, "positional-only", true)] : []
  })
  return called(parameters)
}

const isFunction = (node: SyntaxNode): boolean => {
  const declarator = node.childForFieldName("declarator")
  return declarator !== null && declaredBy(declarator)?.parameters != null
}

/**
 * A macro without a semicolon makes `BEGIN namespace a { }` and `class EXPORT A { }` look like functions without
 * parameters. What stands in their braces is read as what it was meant to be.
 */
const readBehindMacro = (node: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  const body = childOf(node, "compound_statement")
  const declarator = node.childForFieldName("declarator")
  if (body === null || declarator === null) return
  const words = node.text.slice(0, body.startIndex - node.startIndex)
  const name = /\bnamespace\s+([\w:]+)\s*$/.exec(words)?.[1]
  const [, keyword, title] =
    /\b(class|struct)\s+(?:\w+(?:\([^)]*\))?\s+)*?(\w+)\s*(?:final\s*)?(?::[^:][\s\S]*)?$/.exec(words) ?? []
  if (name !== undefined) {
    readBody(
      body,
      { path: nested(scope.path, name, "::"), fields: new Set(), isClass: false, visibility: scope.visibility },
      draft,
      depth + 1
    )
  } else if (title !== undefined) {
    const path = nested(scope.path, title, "::")
    define(draft, node, { name: title, kind: "class", container: scope.path, visibility: scope.visibility })
    const visibility = keyword === "class" ? "private" : "public"
    const inner: Scope = { path, fields: new Set(), isClass: true, visibility }
    readBody(body, inner, draft, depth + 1)
    // Its parents were not read as such.
    defineType(draft, path, true, inner.fields, [])
  } else readBody(body, scope, draft, depth + 1)
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
    isClass: !isEnum,
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

const readDeclaration = (node: SyntaxNode, scope: Scope, draft: CDraft, depth: number): void => {
  readTypeIn(node.childForFieldName("type"), scope, draft, depth, null)
  const words = node.children.flatMap((child) => (child.type === "storage_class_specifier" ? [child.text] : []))
  const isMember = node.type === "field_declaration" || scope.isClass
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
      if (isDefined) define(draft, node, one)
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
  const before = draft.definitions.length
  define(draft, node, one)
  const [declaration] = draft.definitions.splice(before)
  const known = draft.declared.get(keyOf(one))
  if (declaration === undefined) return
  if (known === undefined) draft.declared.set(keyOf(one), [declaration])
  else known.push(declaration)
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
  for (const { 0: word, 1: before = "", index } of statementsIn(root, /^([ \t]*)(?:#[ \t]*include|using)\b/gm)) {
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
