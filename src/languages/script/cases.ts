/**
 * TypeScript's enumerations and unions of literals or tagged objects, and their case tables: `switch`, and objects whose
 * annotation requires every member as a key.
 */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { CaseName, CaseTable, Member, VariantType } from "../../domain/code/Variants.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { restOf } from "../otherCases.ts"
import { enclosing, isField, lineOf, marked, parts, textOf } from "../tree.ts"

export const scriptVariants = (root: SyntaxNode): ReadonlyArray<VariantType> => {
  const declarations = root.namedChildren.flatMap((statement) => {
    const inner = statement.type === "export_statement" ? statement.childForFieldName("declaration") : statement
    return inner === null ? [] : [inner.type === "ambient_declaration" ? (inner.namedChildren[0] ?? inner) : inner]
  })
  const objects = new Map(declarations.flatMap(objectType))
  return declarations.flatMap((node) => {
    const name = textOf(node, "name")
    if (node.type === "enum_declaration") {
      return [{ name, members: enumMembers(node), named: "qualified" as const, property: null }]
    }
    const value = node.type === "type_alias_declaration" ? node.childForFieldName("value") : null
    return value?.type === "union_type" && node.childForFieldName("type_parameters") === null
      ? unionOf(name, value, objects)
      : []
  })
}

/** Interfaces and aliases of object types by name, which may be parts of a union. */
const objectType = (node: SyntaxNode): ReadonlyArray<readonly [string, SyntaxNode]> => {
  const body = node.childForFieldName(node.type === "interface_declaration" ? "body" : "value")
  const name = node.childForFieldName("name")?.text
  return name !== undefined && (body?.type === "interface_body" || body?.type === "object_type") ? [[name, body]] : []
}

const enumMembers = (node: SyntaxNode): ReadonlyArray<Member> =>
  (node.childForFieldName("body")?.namedChildren ?? []).flatMap((member) => {
    const key = member.type === "enum_assignment" ? member.childForFieldName("name") : member
    return key?.type === "property_identifier" ? [{ name: key.text, line: lineOf(key) }] : []
  })

/** `a | b | c` is `(a | b) | c` in the tree. */
const unionParts = (union: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  parts(union).flatMap((part) => (part.type === "union_type" ? unionParts(part) : [part]))

const stringOf = (node: SyntaxNode | null | undefined): string | null => {
  const literal = node?.type === "literal_type" ? node.namedChildren[0] : node
  return literal?.type === "string" && literal.namedChildren.length <= 1 ? (literal.namedChildren[0]?.text ?? "") : null
}

const unionOf = (
  name: string,
  union: SyntaxNode,
  objects: ReadonlyMap<string, SyntaxNode>
): ReadonlyArray<VariantType> => {
  const options = unionParts(union)
  const literals = options.map(stringOf)
  const lines = options.map(({ startPosition }) => startPosition.row + 1)
  const membersOf = (names: ReadonlyArray<string>): ReadonlyArray<Member> =>
    names.map((each, at) => ({ name: each, line: lines[at] ?? 1 }))
  if (literals.every((literal) => literal !== null)) {
    return [{ name, members: membersOf(literals), named: "literal", property: null }]
  }
  const bodies = options.map((option) =>
    option.type === "object_type" ? option : option.type === "type_identifier" ? objects.get(option.text) : undefined
  )
  if (bodies.some((body) => body === undefined)) return []
  const tags = bodies.map((body) => (body === undefined ? new Map<string, string>() : tagsOf(body)))
  const property = [...(tags[0]?.keys() ?? [])].find((key) => tags.every((each) => each.has(key)))
  if (property === undefined) return []
  const names = tags.map((each) => each.get(property) ?? "")
  return [{ name, members: membersOf(names), named: "literal", property }]
}

/** Properties that have one string as their type. */
const tagsOf = (body: SyntaxNode): ReadonlyMap<string, string> =>
  new Map(
    body.namedChildren.flatMap((property) => {
      if (property.type !== "property_signature") return []
      const key = property.childForFieldName("name")?.text
      const value = stringOf(property.childForFieldName("type")?.namedChildren[0])
      return key === undefined || value === null ? [] : [[key, value] as const]
    })
  )

export const scriptTables = (root: SyntaxNode): ReadonlyArray<CaseTable> => [
  ...marked(root, ["switch_statement"], /\bswitch\b/g).map(switchTable),
  ...root.descendantsOfType("object").flatMap(recordTable)
]

const caseName = (node: SyntaxNode | null): CaseName | null => {
  const literal = stringOf(node)
  if (literal !== null) return { type: null, member: literal }
  const path = node?.type === "member_expression" ? /^([\w$.]+)\.([\w$]+)$/.exec(node.text) : null
  return path === null ? null : { type: path[1]!, member: path[2]! }
}

const switchTable = (node: SyntaxNode): CaseTable => {
  const subject = node.childForFieldName("value")?.namedChildren[0] ?? null
  const branches = node.childForFieldName("body")?.namedChildren ?? []
  const last = branches.find(({ type }) => type === "switch_default")
  const body = last === undefined ? null : last.text.replace(/^default\s*:/, "")
  // An empty branch falls through to the next one.
  const handles = body !== null && body.trim() === "" && branches.at(-1)?.id !== last?.id
  const cases = branches.flatMap((branch) =>
    branch.type === "switch_case" ? (caseName(branch.childForFieldName("value")) ?? []) : []
  )
  return {
    form: "switch",
    ...linesOf(node),
    cases,
    rest: handles ? "handled" : restOf(body, true),
    annotated: subject?.type === "identifier" ? annotationOf(subject) : null,
    property: subject?.type === "member_expression" ? (subject.childForFieldName("property")?.text ?? null) : null
  }
}

const scopes = [
  "function_declaration",
  "arrow_function",
  "function_expression",
  "method_definition",
  "generator_function_declaration"
]

/** The declared type of the parameter or variable of this name in the nearest function. */
const annotationOf = (subject: SyntaxNode): string | null => {
  for (let scope = enclosing(subject, scopes); scope !== null; scope = enclosing(scope, scopes)) {
    const declared = [
      ...(scope.childForFieldName("parameters")?.namedChildren ?? []),
      ...scope.descendantsOfType("variable_declarator")
    ].filter((each) => (each.childForFieldName("pattern") ?? each.childForFieldName("name"))?.text === subject.text)
    if (declared.length > 1) return null
    const type = declared[0]?.childForFieldName("type")?.namedChildren[0]
    if (declared.length === 1) return type?.type === "type_identifier" ? type.text : null
  }
  return null
}

/** `Record<Kind, …>` or `{ [key in Kind]: … }`, as the object's own annotation. */
const recordTable = (object: SyntaxNode): ReadonlyArray<CaseTable> => {
  const holder = object.parent?.type === "as_expression" ? object.parent : object
  const outer = holder.parent
  const type =
    outer?.type === "variable_declarator" && isField(outer, "value", holder)
      ? outer.childForFieldName("type")?.namedChildren[0]
      : outer?.type === "satisfies_expression"
        ? outer.namedChildren.at(-1)
        : undefined
  const found = /^(?:Readonly<)?(?:Record<\s*([\w$]+)\s*,|\{\s*(?:readonly\s+)?\[\s*\w+\s+in\s+([\w$]+)\s*\]\s*:)/.exec(
    type?.text ?? ""
  )
  const annotated = found?.[1] ?? found?.[2]
  const pairs = parts(object)
  if (annotated === undefined) return []
  const cases = pairs.flatMap((pair) => {
    const key = pair.type === "shorthand_property_identifier" ? pair : pair.childForFieldName("key")
    const name = pair.type === "method_definition" ? pair.childForFieldName("name") : key
    if (name === null) return []
    if (name.type === "computed_property_name") return caseName(name.namedChildren[0] ?? null) ?? []
    return [{ type: null, member: stringOf(name) ?? name.text }]
  })
  // A spread object may have any key.
  if (cases.length !== pairs.length) return []
  return [{ form: "table", ...linesOf(object), cases, rest: "checked", annotated, property: null }]
}
