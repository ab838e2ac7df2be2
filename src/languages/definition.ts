/** Builds definitions; shared by the readers of all languages. */
import type { Definition, Signature } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { lineOf, squeezed } from "./tree.ts"

export const definitionOf = (
  name: string,
  kind: Definition["kind"],
  container: string | null,
  signature: Signature | null,
  node: SyntaxNode
): Definition => ({
  name,
  kind,
  container,
  signature,
  line: lineOf(node),
  endLine: node.endPosition.row + 1,
  ...bodyPlace(node, kind),
  shape: squeezed(node).replace(name, "")
})

/** What of a definition is not its header. */
export const bodyPlace = (node: SyntaxNode, kind: Definition["kind"]): Pick<Definition, "body"> => {
  const at = bodyOf(node)
  if (at !== null) return { body: { line: lineOf(at), column: at.startPosition.column } }
  // Of a type, a node of any kind may be the body.
  const isWhole = /^(?:function|method|constant)$/.test(kind) && !/call|alias|macro|enum_constant/.test(node.type)
  return isWhole && (node.type.startsWith("protocol_") || !/\}$|\bend$/.test(node.text.slice(-4))) ? { body: null } : {}
}

const bodyTypes =
  /^(?:(?:function|class|enum_class)_body|computed_property|[gs]etter|property_delegate|property_hook_list|value_arguments|field_initializer_list|constructor_initializer)$/
/** Nodes around what has the body. */
const around =
  /^(?:lexical_declaration|variable_declara(?:tion|tor)|init_declarator|(?:property|const)_element|assignment|(?:class|function|method)_d\w+)$/

const bodyOf = (node: SyntaxNode): SyntaxNode | null => {
  const own = node.childForFieldName("body") ?? node.childForFieldName("accessors")
  const typed = node.children.find(({ type }) => bodyTypes.test(type)) ?? null
  if (typed !== null && (own === null || typed.startIndex < own.startIndex)) return typed
  if (own !== null) return own
  const equals = node.children.find(({ type }) => type === "=" || type === ":=")
  const value =
    equals === undefined
      ? node.childForFieldName("value")
      : (node.children.find(({ startIndex }) => startIndex >= equals.endIndex) ?? null)
  // Of a function that is assigned, the parameters are in the header.
  const isFunction = ["parameters", "parameter"].some((field) => value?.childForFieldName(field) != null)
  if (value !== null) return isFunction ? bodyOf(value) : (equals ?? value)
  const inner =
    node.childForFieldName("declaration") ??
    node.childForFieldName("definition") ??
    node.namedChildren.find(({ type }) => around.test(type))
  return inner === undefined ? null : bodyOf(inner)
}

/** The type as written, if any. */
export const typeFrom = (node: SyntaxNode | null): { readonly type?: string } =>
  node === null ? {} : { type: squeezed(node) }

type Result = Pick<Definition, "type" | "valueOrigin">

/** The declared type of a result, or else its origin. */
export const resultFrom = (type: string | null, origin: () => Definition["valueOrigin"] | null): Result => {
  if (type !== null) return { type }
  const valueOrigin = origin()
  return valueOrigin == null ? {} : { valueOrigin }
}

/** The result of a method that returns its own object has the type `self`. */
export const ofItself = (result: Result, className: string, self: string): Result => {
  const { root, steps } = result.valueOrigin ?? {}
  return root?._tag === "Type" && root.type === className && steps?.length === 0 ? { type: self } : result
}
