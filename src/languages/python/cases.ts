/** Python's enumerations and their case tables: `match`, and dictionaries with members as keys. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { CaseName, CaseTable, VariantType } from "../../domain/code/Variants.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { restOf } from "../otherCases.ts"
import { lineOf, marked, parts, textOf } from "../tree.ts"

/** Flags can be combined, so a list of them is never complete. */
const enumerations = /(?:^|\.)(?!\w*Flag)\w*(?:Enum|Choices)$/

export const pythonVariants = (root: SyntaxNode): ReadonlyArray<VariantType> =>
  root.namedChildren.flatMap((statement) => {
    const node = statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement
    const parents = node?.type === "class_definition" ? node.childForFieldName("superclasses") : null
    const body = node?.childForFieldName("body") ?? null
    if (parents === null || body === null || !parts(parents).some(({ text }) => enumerations.test(text))) return []
    const values = new Set<string>()
    const members = body.namedChildren.flatMap((line) => {
      const assignment = line.type === "expression_statement" ? line.namedChildren[0] : undefined
      const left = assignment?.type === "assignment" ? assignment.childForFieldName("left") : null
      const value = assignment?.childForFieldName("right")
      if (left?.type !== "identifier" || left.text.startsWith("_") || value == null || value.type === "lambda")
        return []
      // An alias of a member is not a separate member.
      if ((values.has(value.text) && !/\(/.test(value.text)) || value.type === "identifier") return []
      values.add(value.text)
      return /\bnonmember\(/.test(value.text) ? [] : [{ name: left.text, line: lineOf(left) }]
    })
    const name = textOf(node, "name")
    return [{ name, members, named: "qualified" as const, property: null }]
  })

export const pythonTables = (root: SyntaxNode): ReadonlyArray<CaseTable> => [
  ...marked(root, ["match_statement"], /\bmatch\b/g).map(matchTable),
  ...root.descendantsOfType("dictionary").flatMap(dictionaryTable)
]

const memberOf = (path: string): CaseName | null => {
  const found = /^([\w.]+)\.(\w+)$/.exec(path)
  return found === null ? null : { type: found[1]!, member: found[2]! }
}

const matchTable = (match: SyntaxNode): CaseTable => {
  const clauses = match.childForFieldName("body")?.namedChildren.filter(({ type }) => type === "case_clause") ?? []
  const cases: Array<CaseName> = []
  let rest: CaseTable["rest"] = "passed"
  for (const clause of clauses) {
    const patterns = clause.namedChildren.filter(({ type }) => type === "case_pattern")
    const [pattern] = patterns
    const guarded = clause.namedChildren.some(({ type }) => type === "if_clause")
    if (pattern === undefined || guarded) continue
    const text = pattern.text.trim()
    if (
      patterns.length === 1 &&
      /^(?:_|[a-z_]\w*)(?:\s+as\s+\w+)?$/i.test(text) &&
      !/^(?:None|True|False)$/.test(text)
    ) {
      rest = restOf(textOf(clause, "consequence"), true)
    } else if (patterns.length === 1) {
      cases.push(...text.split("|").flatMap((part) => memberOf(part.trim()) ?? []))
    }
  }
  return { form: "switch", ...linesOf(match), cases, rest, annotated: null, property: null }
}

/** None if the keys are of several types, or if a dictionary is unpacked into this one. */
const dictionaryTable = (dictionary: SyntaxNode): ReadonlyArray<CaseTable> => {
  const pairs = parts(dictionary)
  const cases = pairs.flatMap((pair) => {
    const key = pair.type === "pair" ? pair.childForFieldName("key") : null
    const named = key?.type === "attribute" ? memberOf(key.text.replace(/\s/g, "")) : null
    return named === null ? [] : [named]
  })
  if (cases.length !== pairs.length || new Set(cases.map(({ type }) => type)).size !== 1) return []
  return [{ form: "table", ...linesOf(dictionary), cases, rest: "passed", annotated: null, property: null }]
}
