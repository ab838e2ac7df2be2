/** Java's enums, and `switch` over their constants. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { CaseName, CaseTable, VariantType } from "../../domain/code/Variants.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { restOf } from "../otherCases.ts"
import { lineOf, marked, textOf } from "../tree.ts"

export const javaVariants = (root: SyntaxNode): ReadonlyArray<VariantType> =>
  marked(root, ["enum_declaration"], /\benum\b/g).map((node) => ({
    name: textOf(node, "name"),
    members: (node.childForFieldName("body")?.namedChildren ?? []).flatMap((constant) => {
      const name = constant.type === "enum_constant" ? constant.childForFieldName("name") : null
      return name === null ? [] : [{ name: name.text, line: lineOf(name) }]
    }),
    named: "bare",
    property: null
  }))

export const javaTables = (root: SyntaxNode): ReadonlyArray<CaseTable> =>
  marked(root, ["switch_expression"], /\bswitch\b/g).map((node) => {
    const branches = node.childForFieldName("body")?.namedChildren ?? []
    const cases: Array<CaseName> = []
    let other: string | null = null
    for (const branch of branches) {
      const labels = branch.namedChildren.filter(({ type }) => type === "switch_label")
      for (const label of labels) {
        if (/^default\b|,\s*default\b/.test(label.text)) other = branch.text.replace(/^[\s\S]*?default\s*(?::|->)/, "")
        for (const part of label.namedChildren) {
          if (part.type === "identifier") cases.push({ type: null, member: part.text })
          else if (part.type === "field_access") {
            cases.push({ type: null, member: textOf(part, "field") })
          }
        }
      }
    }
    const isValue = node.parent?.type !== "expression_statement" && node.parent?.type !== "block"
    const arrows = branches.some(({ type }) => type === "switch_rule")
    const rest = other === null && isValue && arrows ? "checked" : restOf(other, false)
    return { form: "switch", ...linesOf(node), cases, rest, annotated: null, property: null }
  })
