/** Java's classes, records and interfaces with their parents. A class with annotations that may generate code is open. */
import type { HierarchyType, MethodShape } from "../../domain/code/Hierarchy.ts"
import type { Parameter } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { lineOf, marked, parts, squeezed, textOf } from "../tree.ts"

export const javaTypes = (root: SyntaxNode): ReadonlyArray<HierarchyType> =>
  marked(
    root,
    ["class_declaration", "interface_declaration", "record_declaration"],
    /\b(?:class|interface|record)\b/g
  ).map(typeOf)

const modifiersOf = (node: SyntaxNode): string =>
  node.namedChildren.find(({ type }) => type === "modifiers")?.text ?? ""

/** Annotations of Lombok and similar tools that generate methods. */
const writing =
  /@(?:Data|Getter|Setter|Value|Delegate|Builder|AllArgs|Accessors|AutoValue|Mapper|FeignClient|Repository)\b/

const typeOf = (node: SyntaxNode): HierarchyType => {
  const isInterface = node.type === "interface_declaration"
  const members = node.childForFieldName("body")?.namedChildren ?? []
  const parameters = typeParameters(node)
  const lists = node.namedChildren.filter(({ type }) =>
    /^(?:superclass|super_interfaces|extends_interfaces)$/.test(type)
  )
  const components =
    node.type === "record_declaration" ? (node.childForFieldName("parameters")?.namedChildren ?? []) : []
  return {
    name: textOf(node, "name"),
    line: lineOf(node),
    kind: isInterface ? "interface" : "class",
    abstract: /\babstract\b/.test(modifiersOf(node)) || isInterface,
    open:
      writing.test(modifiersOf(node)) ||
      (writing.test(node.text) && members.some((member) => writing.test(modifiersOf(member)))) ||
      node.childForFieldName("permits") !== null,
    parents: namesIn(lists.filter(({ type }) => type === "superclass")),
    interfaces: namesIn(lists.filter(({ type }) => type !== "superclass")),
    methods: members.flatMap((member) => methodOf(member, isInterface, parameters)),
    others: new Set(components.map((component) => textOf(component, "name")))
  }
}

const namesIn = (lists: ReadonlyArray<SyntaxNode>): ReadonlyArray<string> =>
  lists
    .flatMap(({ namedChildren }) =>
      namedChildren[0]?.type === "type_list" ? namedChildren[0].namedChildren : namedChildren
    )
    .map(written)

/** `List<String>` is List. */
const written = (type: SyntaxNode): string => squeezed(type).replace(/<.*$/s, "").replace(/^@\w+/, "")

const typeParameters = (node: SyntaxNode): ReadonlyArray<string> =>
  (node.childForFieldName("type_parameters")?.namedChildren ?? []).flatMap((each) => each.namedChildren[0]?.text ?? [])

const methodOf = (
  member: SyntaxNode,
  isInterface: boolean,
  outer: ReadonlyArray<string>
): ReadonlyArray<MethodShape> => {
  if (member.type !== "method_declaration") return []
  const modifiers = modifiersOf(member)
  if (/\b(?:static|private)\b/.test(modifiers)) return []
  const name = textOf(member, "name")
  const given = parts(member.childForFieldName("parameters") ?? member).filter(({ type }) =>
    /formal_parameter|spread_parameter/.test(type)
  )
  const types = given.map((parameter) => {
    const type = parameter.childForFieldName("type") ?? parameter.namedChildren.find((child) => /type/.test(child.type))
    const array = textOf(parameter, "dimensions")
    const rest = parameter.type === "spread_parameter" ? "[]" : ""
    return `${squeezed(type ?? parameter)
      .replace(/\b\w+\./g, "")
      .replace(/@\w+/g, "")}${array}${rest}`
  })
  const variables = new Set([...outer, ...typeParameters(member)])
  const isGeneric = types.some((type) => type.split(/\W+/).some((word) => variables.has(word)))
  return [
    {
      name,
      ...linesOf(member),
      signature: {
        parameters: types.map((type): Parameter => ({ name: type, kind: "positional-only", required: true })),
        async: false,
        strict: true
      },
      // A type parameter may have different names.
      exact: isGeneric ? null : types.join(","),
      awaited: null,
      required: isInterface ? member.childForFieldName("body") === null : /\babstract\b/.test(modifiers),
      isMarkedOverride: /@Override\b/.test(modifiers),
      callsParent: false,
      shape: squeezed(member).replace(name, "")
    }
  ]
}
