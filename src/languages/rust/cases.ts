/** Rust's enums, and `match` over their variants. Pure; whatever is compiled only sometimes, or made by a macro, is left out. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { CaseName, CaseTable, VariantType } from "../../domain/code/Variants.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { enclosing, lineOf, marked, textOf } from "../tree.ts"

export const rustVariants = (root: SyntaxNode): ReadonlyArray<VariantType> =>
  marked(root, ["enum_item"], /\benum\b/g).flatMap((node) => {
    const list = node.childForFieldName("body")?.namedChildren ?? []
    if (list.some((child) => child.type === "attribute_item" && /\bcfg\b/.test(child.text))) return []
    const members = list.flatMap((child) => {
      const name = child.type === "enum_variant" ? child.childForFieldName("name") : null
      return name === null ? [] : [{ name: name.text, line: lineOf(name) }]
    })
    return [{ name: textOf(node, "name"), members, named: "qualified" as const, property: null }]
  })

export const rustTables = (root: SyntaxNode): ReadonlyArray<CaseTable> =>
  marked(root, ["match_expression"], /\bmatch\b/g).flatMap(matchTable)

const matchTable = (match: SyntaxNode): ReadonlyArray<CaseTable> => {
  const arms = match.childForFieldName("body")?.namedChildren ?? []
  if (
    arms.some(
      (arm) =>
        arm.type === "attribute_item" ||
        arm.descendantsOfType("attribute_item").some((each) => each.parent?.id === arm.id)
    )
  ) {
    return []
  }
  const cases: Array<CaseName> = []
  let rest: CaseTable["rest"] = "checked"
  for (const arm of arms) {
    const pattern = arm.type === "match_arm" ? arm.childForFieldName("pattern") : null
    if (pattern === null) continue
    const guarded = pattern.childForFieldName("condition") !== null
    const inner = pattern.namedChildren[0]
    if (inner === undefined || inner.type === "identifier") {
      if (!guarded)
        rest = /^(?:unreachable|panic|todo|unimplemented)!/.test(textOf(arm, "value")) ? "refused" : "handled"
      continue
    }
    const names = variantsIn(inner)
    // Tuples, literals and wrapped values do not show whether a list is complete.
    if (names === null) return []
    if (!guarded) cases.push(...names)
  }
  const own = enclosing(match, ["impl_item"])?.childForFieldName("type")?.text.replace(/<.*$/s, "") ?? "Self"
  const named = cases.map(({ member, type }) => ({ type: type === "Self" ? own : type, member }))
  return [{ form: "switch", ...linesOf(match), cases: named, rest, annotated: null, property: null }]
}

/** The variants of a pattern that is a plain choice of variants; null for any other. */
const variantsIn = (pattern: SyntaxNode): ReadonlyArray<CaseName> | null => {
  switch (pattern.type) {
    case "or_pattern": {
      const each = pattern.namedChildren.map(variantsIn)
      return each.some((names) => names === null) ? null : each.flatMap((names) => names ?? [])
    }
    case "reference_pattern":
    case "captured_pattern":
    case "ref_pattern": {
      const inner = pattern.namedChildren.at(-1)
      return inner === undefined ? null : variantsIn(inner)
    }
    case "tuple_struct_pattern":
    case "struct_pattern": {
      const type = pattern.childForFieldName("type")
      // A part that has to have a certain form itself covers the variant only in part.
      const narrow = pattern.namedChildren.slice(1).some((part) => !isOpen(part))
      return type === null || narrow ? null : variantsIn(type)
    }
    case "scoped_identifier":
    case "scoped_type_identifier": {
      const path = pattern.childForFieldName("path")?.text.replace(/^.*::/s, "")
      const name = pattern.childForFieldName("name")?.text
      return path === undefined || name === undefined ? null : [{ type: path, member: name }]
    }
    default:
      return null
  }
}

/** A name or a wildcard: takes any value. */
const isOpen = (part: SyntaxNode): boolean =>
  /^(?:identifier|shorthand_field_identifier|remaining_field_pattern|mutable_specifier|_)$/.test(part.type) ||
  part.text === "_" ||
  (/^(?:field_pattern|ref_pattern|mut_pattern)$/.test(part.type) &&
    part.namedChildren.every((inner) => isOpen(inner) || inner.type === "field_identifier"))
