/**
 * The definitions of one name that `symbols` of a language leaves out, because no name is resolved to them: functions in
 * functions, members of objects, of namespaces and of inline modules, macros. They are read when the name is asked for.
 */
import type { Definition } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { definitionOf } from "./definition.ts"
import { enclosing, isField, spelled, textOf } from "./tree.ts"

export interface NestedForms {
  /** Node types of definitions to the field of the name, the kind, and the field of a value that must be a function. */
  readonly definitions: Readonly<
    Record<string, readonly [name: string, kind: Definition["kind"], value?: "value" | "right"]>
  >
  /** Node types to the field by which what is defined in them is qualified. */
  readonly holders: Readonly<Record<string, string>>
}

export const nestedDefinitions = (
  { definitions, holders }: NestedForms,
  root: SyntaxNode,
  name: string
): ReadonlyArray<Definition> =>
  spelled(root, nameTypes, name).flatMap((word) => {
    const member = word.parent?.type === "member_expression" ? word.parent : null
    const at = member === null || !isField(member, "property", word) ? word : member
    const node = at.parent
    const form = node !== null && Object.hasOwn(definitions, node.type) ? definitions[node.type] : undefined
    if (node === null || form === undefined || !isField(node, form[0], at)) return []
    const [, kind, value] = form
    const isFunction = value === undefined || functions.test(node.childForFieldName(value)?.type ?? "")
    if (!isFunction && !isInNamespace(node)) return []
    const object = at === word ? [] : [textOf(at, "object").replace(/\.prototype$/, "")]
    if (object.some((text) => !/^[\w$.]{1,200}$/.test(text))) return []
    const around = [...containersOf(node, holders), ...object]
    const isMethod = kind === "function" && methodHolders.test(node.parent?.parent?.type ?? "")
    const own = isMethod ? "method" : isFunction ? kind : "constant"
    return [definitionOf(name, own, around.length === 0 ? null : around.join("."), null, node)]
  })

const nameTypes = ["identifier", "property_identifier", "type_identifier"]
const functions = /^(?:arrow_function|function_expression|function|generator_function)$/
const methodHolders = /^(?:class_definition|impl_item|trait_item)$/

/** A constant of a namespace. */
const isInNamespace = (node: SyntaxNode): boolean =>
  node.type === "variable_declarator" &&
  enclosing(
    node,
    ["internal_module"],
    ["function_declaration", "arrow_function", "function_expression", "class_body"]
  ) !== null

const containersOf = (node: SyntaxNode, holders: NestedForms["holders"]): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at = node.parent; at !== null; at = at.parent) {
    const field = Object.hasOwn(holders, at.type) ? holders[at.type] : undefined
    const name = field === undefined ? "" : textOf(at, field).replace(/<.*/s, "")
    if (/^[\w$]+$/.test(name)) names.unshift(name)
  }
  return names
}
