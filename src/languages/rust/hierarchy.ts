/** Rust's traits, and the implementations of traits for types. Conditional compilation makes one open. */
import type { HierarchyType, MethodShape } from "../../domain/code/Hierarchy.ts"
import type { Parameter } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { lineOf, marked, partsOf, squeezed, textOf } from "../tree.ts"

/** An implementation is a type with the name of the implementing type. */
export const rustTypes = (root: SyntaxNode): ReadonlyArray<HierarchyType> => [
  ...marked(root, ["trait_item"], /\btrait\b/g).map((node) => typeOf(node, textOf(node, "name"), null)),
  ...marked(root, ["impl_item"], /\bimpl\b/g).flatMap((node) => {
    const trait = node.childForFieldName("trait")
    const type = node.childForFieldName("type")?.text.replace(/\s+/g, " ") ?? ""
    return trait === null ? [] : [typeOf(node, type, lastName(trait))]
  })
]

/** `crate::x::Store<T>` is Store. */
const lastName = (trait: SyntaxNode): string => squeezed(trait).replace(/<.*$/s, "").replace(/^.*::/, "")

const typeOf = (node: SyntaxNode, name: string, trait: string | null): HierarchyType => {
  const items = node.childForFieldName("body")?.namedChildren ?? []
  const before = node.previousNamedSibling
  return {
    name,
    line: lineOf(node),
    kind: trait === null ? "interface" : "class",
    abstract: trait === null,
    open:
      items.some(
        (item) =>
          item.type === "macro_invocation" || (item.type === "attribute_item" && /\bcfg|\bfeature/.test(item.text))
      ) ||
      (before?.type === "attribute_item" && /\bcfg|mock|auto/.test(before.text)) ||
      node.children.some(({ type }) => type === "!"),
    parents: trait === null ? [] : [trait],
    interfaces: [],
    methods: items.flatMap((item) => methodOf(item, trait !== null)),
    others: new Set()
  }
}

const methodOf = (item: SyntaxNode, implementing: boolean): ReadonlyArray<MethodShape> => {
  if (item.type !== "function_item" && item.type !== "function_signature_item") return []
  const name = textOf(item, "name")
  const parameters = partsOf(item, "parameters")
    .filter(({ type }) => type !== "attribute_item")
    .map(
      (part): Parameter => ({
        name: part.type === "self_parameter" ? squeezed(part).replace(/mutself$/, "self") : "",
        kind: "positional-only",
        required: true
      })
    )
  const isAsync = item.children.some((child) => child.type === "function_modifiers" && /\basync\b/.test(child.text))
  const result = textOf(item, "return_type")
  return [
    {
      name,
      ...linesOf(item),
      signature: { parameters, async: isAsync, strict: true },
      exact: null,
      awaited: isAsync ? true : /Future|impl\b|dyn\b|Pin</.test(result) ? null : false,
      required: item.type === "function_signature_item",
      isMarkedOverride: implementing,
      callsParent: false,
      shape: squeezed(item).replace(name, "")
    }
  ]
}
