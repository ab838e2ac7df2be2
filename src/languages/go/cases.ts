/** Go's groups of typed constants, and their case tables: `switch`, and maps with constants as keys. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { CaseName, CaseTable, Member, VariantType } from "../../domain/code/Variants.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { restOf } from "../otherCases.ts"
import { marked, parts, textOf } from "../tree.ts"
import { declaredNames } from "./names.ts"

/** Constants that mark the bounds of a list and are not values. */
const bound =
  /^_|^(?:num|max|min|count|end|last|first|sentinel|n[A-Z])|(?:Max|Min|Count|End|Last|First|Sentinel|Num|Len|Limit)$/i

/** The groups in one file; a group of a package may be in several files. */
export const goVariants = (root: SyntaxNode): ReadonlyArray<VariantType> => {
  const found = new Map<string, Array<Member>>()
  for (const declaration of root.namedChildren) {
    if (declaration.type !== "const_declaration") continue
    let current: string | null = null
    for (const spec of declaration.descendantsOfType("const_spec")) {
      const type = spec.childForFieldName("type")
      const value = spec.childForFieldName("value")
      if (type !== null) current = type.text
      else if (value !== null) current = convertedTo(value)
      if (current === null) continue
      const members = found.get(current) ?? []
      members.push(
        ...declaredNames(spec)
          .filter(({ text }) => text !== "_" && !bound.test(text))
          .map(({ startPosition, text }) => ({ name: text, line: startPosition.row + 1 }))
      )
      found.set(current, members)
    }
  }
  return [...found]
    .filter(([name]) => !/[.\s]|^(?:u?int\d*|string|float\d+|byte|rune|bool|error|uintptr)$/.test(name))
    .map(([name, members]) => ({ name, members, named: "bare", property: null }))
}

/** `Color("red")` has the type Color. */
const convertedTo = (value: SyntaxNode): string | null => {
  const call = parts(value)[0]
  const callee = call?.type === "call_expression" ? call.childForFieldName("function") : null
  return callee?.type === "identifier" ? callee.text : null
}

export const goTables = (root: SyntaxNode): ReadonlyArray<CaseTable> => [
  ...marked(root, ["expression_switch_statement"], /\bswitch\b/g).map(switchTable),
  ...root.descendantsOfType("composite_literal").flatMap(mapTable)
]

const caseName = (node: SyntaxNode | undefined): CaseName | null => {
  if (node?.type === "identifier") return { type: null, member: node.text }
  const operand = node?.type === "selector_expression" ? node.childForFieldName("operand") : null
  return operand?.type === "identifier" ? { type: operand.text, member: textOf(node, "field") } : null
}

const switchTable = (node: SyntaxNode): CaseTable => {
  const last = node.namedChildren.find(({ type }) => type === "default_case")
  const cases = node.namedChildren.flatMap((branch) => {
    const list = branch.type === "expression_case" ? branch.childForFieldName("value") : null
    return list === null ? [] : parts(list).flatMap((each) => caseName(each) ?? [])
  })
  return {
    form: "switch",
    ...linesOf(node),
    // Without a subject, the cases are conditions.
    cases: node.childForFieldName("value") === null ? [] : cases,
    rest: last === undefined ? "passed" : restOf(last.text.replace(/^default\s*:/, ""), false),
    annotated: null,
    property: null
  }
}

const mapTable = (node: SyntaxNode): ReadonlyArray<CaseTable> => {
  const type = node.childForFieldName("type")
  const key = type?.type === "map_type" ? type.childForFieldName("key")?.text : undefined
  if (key === undefined) return []
  const elements = node.childForFieldName("body")?.namedChildren.filter((each) => each.type === "keyed_element") ?? []
  const cases = elements.flatMap((element) => {
    const holder = element.namedChildren[0]
    return caseName(holder?.type === "literal_element" ? holder.namedChildren[0] : holder) ?? []
  })
  if (cases.length !== elements.length) return []
  const annotated = key.slice(key.lastIndexOf(".") + 1)
  return [{ form: "table", ...linesOf(node), cases, rest: "passed", annotated, property: null }]
}
