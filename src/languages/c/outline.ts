/**
 * What a file of C or C++ defines and includes, and its occurrences.
 *
 * The tree is that of the text before preprocessing, so a macro may make a class look like a function.
 */
import type { ImportedName } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { imported, statementsIn } from "../imported.ts"
import type { Found, Outline } from "../outline.ts"
import { childOf, isField, parts, textOf } from "../tree.ts"
import { declaratorsOf, declaredBy, withoutArguments } from "./declarator.ts"

/** A class, struct, union or enum with a body; the name is its own or that of a `typedef`. */
const specified =
  (kind: Found["kind"]) =>
  (node: SyntaxNode): Found | null => {
    if (node.childForFieldName("body") === null) return null
    const at = node.childForFieldName("name") ?? givenBy(node.parent)
    return at === null
      ? { kind: "scope", at: node, name: "", isClass: true }
      : { kind, at, name: withoutArguments(at.text) }
  }

/** `node_t` in `typedef struct { } node_t, *node_p`. */
const givenBy = (typedef: SyntaxNode | null): SyntaxNode | null => {
  const given = typedef?.type === "type_definition" ? declaratorsOf(typedef).map(declaredBy) : []
  return given.find((each) => each?.isPlain === true)?.at ?? null
}

const typedefs = (node: SyntaxNode): ReadonlyArray<Found> => {
  const type = node.childForFieldName("type")
  const taken =
    type === null ? undefined : (type.childForFieldName("name") ?? (type.childForFieldName("body") && givenBy(node)))
  return declaratorsOf(node).flatMap((each) => {
    const declared = declaredBy(each)
    return declared === null || declared.at.text === taken?.text
      ? []
      : [{ kind: "type" as const, at: declared.at, isName: true }]
  })
}

/** Keywords are not names, although a macro before a function may be parsed as its type. */
const keywords = /^(?:if|else|for|while|switch|return|do|case|default|sizeof|defined)$/

const declarations = (node: SyntaxNode): ReadonlyArray<Found> => {
  const isExternal = node.children.some(({ text, type }) => type === "storage_class_specifier" && text === "extern")
  return declaratorsOf(node).flatMap((each): ReadonlyArray<Found> => {
    const declared = declaredBy(each)
    if (declared === null || keywords.test(declared.name)) return []
    const { at, initialized, isFunction, name } = declared
    return [
      {
        kind: isFunction ? "function" : "constant",
        at,
        name,
        isDeclared: isFunction || (isExternal && !initialized)
      }
    ]
  })
}

const functions = (node: SyntaxNode): ReadonlyArray<Found> => {
  const found = declarations(node).map((each) => ({ ...each, isDeclared: false }))
  return found.some(({ kind }) => kind === "function") ? found : behindMacro(node)
}

/**
 * A macro without a semicolon makes `BEGIN namespace a { }` and `class EXPORT A { }` look like functions without
 * parameters. The content of their braces is parsed as usual.
 */
const behindMacro = (node: SyntaxNode): ReadonlyArray<Found> => {
  const body = childOf(node, "compound_statement")
  const at = node.childForFieldName("declarator")
  if (body === null || at === null) return []
  const words = node.text.slice(0, body.startIndex - node.startIndex)
  const name = /\bnamespace\s+([\w:]+)\s*$/.exec(words)?.[1]
  const title = /\b(?:class|struct)\s+(?:\w+(?:\([^)]*\))?\s+)*?(\w+)\s*(?:final\s*)?(?::[^:][\s\S]*)?$/.exec(
    words
  )?.[1]
  if (name === undefined && title !== undefined) return [{ kind: "class", at, name: title, body }]
  return [{ kind: "scope", at, name: name ?? "", body }]
}

/** A constant without a value is a switch, usually an include guard. */
const macro = (node: SyntaxNode): Found | null => {
  const at = node.childForFieldName("name")
  if (at === null) return null
  if (node.type === "preproc_function_def") return { kind: "function", at, isGlobal: true }
  return node.childForFieldName("value") === null ? null : { kind: "constant", at, isGlobal: true }
}

const namespaces = (node: SyntaxNode): Found => {
  const at = node.childForFieldName("name")
  return { kind: "scope", at: at ?? node, name: at?.text ?? "" }
}

export const cOutline: Outline = {
  definitions: {
    class_specifier: specified("class"),
    struct_specifier: specified("class"),
    union_specifier: specified("class"),
    enum_specifier: specified("type"),
    enumerator: "constant",
    type_definition: typedefs,
    alias_declaration: "type",
    concept_definition: "type",
    namespace_definition: namespaces,
    function_definition: functions,
    inline_method_definition: functions,
    declaration: declarations,
    field_declaration: declarations,
    preproc_def: macro,
    preproc_function_def: macro
  },
  through:
    /^(?:preproc_(?:if|ifdef|ifndef|else|elif|elifdef)|linkage_specification|(?:field_|export_)?declaration(?:_list)?|template_declaration|enumerator_list|type_definition|labeled_statement|ERROR)$/,
  parameters: ["parameter_list", "preproc_params"],
  packages: [],
  words: ["identifier", "field_identifier", "type_identifier", "namespace_identifier"],
  labels: { field_designator: null, field_initializer: 0 },
  imports: ["using_declaration"],
  bindings: {
    preproc_params: null,
    type_parameter_declaration: null,
    structured_binding_declarator: null,
    lambda_capture_initializer: "left"
  },
  members: { field_expression: ["argument", "field"], qualified_identifier: ["scope", "name"] },
  calls: { call_expression: "function", new_expression: "type" },
  wrappers: ["template_function", "template_type", "template_method"],
  self: ["this"],
  scopes: {
    limits: (node) => limits.test(node.type) || (node.type === "function_declarator" && !isOfBody(node)),
    owners: ["class_specifier", "struct_specifier", "union_specifier"],
    // The value of a variable is in its scope.
    after: ["identifier"],
    hidesTypes: true
  },
  kindOf: (node) => (isParameter(node) ? "binding" : undefined)
}

const limits =
  /^(?:compound_statement|function_definition|for_statement|for_range_loop|catch_clause|lambda_expression|(?:if|while|switch)_statement|template_declaration|preproc_function_def)$/

/** Do the parameters of this declarator hold in the body of a function? */
const isOfBody = (declarator: SyntaxNode): boolean => {
  let at = declarator.parent
  while (at !== null && /declarator$/.test(at.type)) at = at.parent
  return at?.type === "function_definition"
}

/** The name of a parameter or of a loop's variable, inside of pointers and the like. */
const isParameter = (node: SyntaxNode): boolean => {
  let at = node
  while (at.parent !== null && /_declarator$/.test(at.parent.type) && isNamed(at.parent, at)) at = at.parent
  const isOf = /parameter_declaration$|^for_range_loop$/.test(at.parent?.type ?? "")
  return isOf && isField(at.parent, "declarator", at)
}

const isNamed = (declarator: SyntaxNode, node: SyntaxNode): boolean => {
  const own = declarator.childForFieldName("declarator")
  return own === null ? /^(?:reference|parenthesized|attributed)/.test(declarator.type) : own.id === node.id
}

/** `#include`, with angle brackets if it has them; in C++ also `using`. */
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
      const cut = path.lastIndexOf("::")
      if (node.children[1]?.type === "namespace") found.push(imported(node, path, null, ""))
      else if (cut > 0) found.push(imported(node, path.slice(0, cut), path.slice(cut + 2), path.slice(cut + 2)))
    }
  }
  return found
}
