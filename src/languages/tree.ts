/** Functions on syntax trees. Pure and total. */
import type { Span } from "../domain/code/Symbol.ts"
import type { Rows, SyntaxNode } from "../domain/code/Syntax.ts"
import { type OtherPlace, type Range, rangeOf } from "../domain/finding/Rule.ts"

/** The nearest ancestor of one of `types`; null if one of `until` is nearer. */
export const enclosing = (
  node: SyntaxNode,
  types: ReadonlyArray<string>,
  until: ReadonlyArray<string> = []
): SyntaxNode | null => {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (types.includes(at.type)) return at
    if (until.includes(at.type)) return null
  }
  return null
}

/** The parts that the parser did not understand, in source order; if they are too many, the whole. */
export const unreadParts = (root: SyntaxNode): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  const visit = (node: SyntaxNode): void => {
    if (!node.hasError || found.length > mostUnread) return
    const inside = node.type === "ERROR" ? [] : node.children.filter((child) => child.hasError)
    if (inside.length === 0) found.push(spanOf(node))
    else inside.forEach(visit)
  }
  visit(root)
  return found.length > mostUnread ? [spanOf(root)] : found
}

const mostUnread = 100

const spanOf = ({ endPosition, startPosition }: SyntaxNode): Span => ({
  line: startPosition.row + 1,
  endLine: endPosition.row + 1
})

/** The ancestors of `types`, from the nearest to the outermost. */
export function* ancestors(node: SyntaxNode, types: ReadonlyArray<string>): Generator<SyntaxNode> {
  for (let at = enclosing(node, types); at !== null; at = enclosing(at, types)) yield at
}

/** The outermost ancestor of one of `types`. */
export const outermost = (node: SyntaxNode, types: ReadonlyArray<string>): SyntaxNode | null =>
  [...ancestors(node, types)].at(-1) ?? null

/** Descendants of `types` in source order, without those inside nodes of `closed` types. */
export const within = (
  node: SyntaxNode,
  types: ReadonlyArray<string>,
  closed: ReadonlyArray<string> = []
): ReadonlyArray<SyntaxNode> => {
  const found: Array<SyntaxNode> = []
  const visit = (at: SyntaxNode): void => {
    for (const child of at.namedChildren) {
      if (types.includes(child.type)) found.push(child)
      if (!closed.includes(child.type)) visit(child)
    }
  }
  visit(node)
  return found
}

/** The maximum distance of rows in one run, and the maximum number of runs that are searched separately. */
const nearRows = 10
const mostRuns = 40

/** Joins ascending rows that are near each other to runs. */
export const runsOf = (rows: Iterable<number>): ReadonlyArray<Rows> => {
  const runs: Array<Rows> = []
  for (const row of rows) {
    const before = runs.at(-1)
    if (before === undefined || row > before.last + nearRows) runs.push({ first: row, last: row })
    else runs[runs.length - 1] = { first: before.first, last: Math.max(before.last, row) }
  }
  return runs
}

/** Descendants of `types` that overlap one of the runs, in source order; may include others. Visits only a part of the tree. */
export const reachingInto = (
  node: SyntaxNode,
  types: ReadonlyArray<string>,
  runs: ReadonlyArray<Rows>
): ReadonlyArray<SyntaxNode> => {
  const [first, last] = [runs[0], runs.at(-1)]
  if (first === undefined || last === undefined) return []
  const walked = runs.length > mostRuns ? [{ first: first.first, last: last.last }] : runs
  // A node around two runs is found with each of them.
  const found = new Map<number, SyntaxNode>()
  for (const { first, last } of walked) {
    const [start, end] = [
      { row: first, column: 0 },
      { row: last + 1, column: 0 }
    ]
    for (const each of node.descendantsOfType([...types], start, end)) found.set(each.id, each)
  }
  return [...found.values()]
}

/**
 * All descendants of `types`, if the text of each contains a match of `mark`: faster than a search in the tree. `mark` is
 * global.
 */
export const marked = (node: SyntaxNode, types: ReadonlyArray<string>, mark: RegExp): ReadonlyArray<SyntaxNode> => {
  const { text } = node
  const rows: Array<number> = []
  let [row, at] = [node.startPosition.row, 0]
  for (const { index } of text.matchAll(mark)) {
    for (let next = text.indexOf("\n", at); next >= 0 && next < index; next = text.indexOf("\n", at)) {
      row++
      at = next + 1
    }
    rows.push(row)
  }
  return reachingInto(node, types, runsOf(rows))
}

/** Descendants of `types` whose text is this word; none for "", which the parser inserts for missing words. */
export const spelled = (node: SyntaxNode, types: ReadonlyArray<string>, word: string): ReadonlyArray<SyntaxNode> =>
  word === "" ? [] : marked(node, types, new RegExp(RegExp.escape(word), "g")).filter(({ text }) => text === word)

const words = [
  "identifier",
  "simple_identifier",
  "field_identifier",
  "type_identifier",
  "shorthand_field_initializer",
  "self"
]

/** Is the node, or anything in it, the word `name`? */
export const mentions = (node: SyntaxNode, name: string): boolean =>
  (words.includes(node.type) && node.text === name) || node.descendantsOfType(words).some((word) => word.text === name)

export const isComment = (node: SyntaxNode): boolean => node.type.includes("comment")

/** May stand anywhere between other nodes: a comment, or the backslash at the end of a line in Python and Ruby. */
const isExtra = (node: SyntaxNode): boolean => isComment(node) || node.type === "line_continuation"

/** Named children that are not comments. */
export const parts = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  node.namedChildren.filter((child) => !isExtra(child))

/** The first child of one of `types`. */
export const childOf = (node: SyntaxNode, ...types: ReadonlyArray<string>): SyntaxNode | null =>
  node.namedChildren.find(({ type }) => types.includes(type)) ?? null

/** Every identifier in the node, including the node itself. */
export const identifiers = (node: SyntaxNode | null): ReadonlyArray<SyntaxNode> => {
  if (node === null) return []
  return node.type === "identifier" ? [node] : node.descendantsOfType("identifier")
}

export const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => partsOf(call, "arguments")

export const nameOf = (node: SyntaxNode): string => textOf(node, "name")

export const operatorOf = (expression: SyntaxNode): string => textOf(expression, "operator")

/** The text of the child in that field; empty if there is none. */
export const textOf = (node: SyntaxNode | null | undefined, field: string): string =>
  node?.childForFieldName(field)?.text ?? ""

/** The children of the child in that field, without comments; none if there is no such child. */
export const partsOf = (node: SyntaxNode | null | undefined, field: string): ReadonlyArray<SyntaxNode> => {
  const child = node?.childForFieldName(field)
  return child == null ? [] : parts(child)
}

/** Is `child` the child of `node` in that field? */
export const isField = (node: SyntaxNode | null | undefined, field: string, child: SyntaxNode): boolean =>
  node?.childForFieldName(field)?.id === child.id

/** The child in that field, if it is of one of `types`. */
export const fieldOf = (node: SyntaxNode, field: string, ...types: ReadonlyArray<string>): SyntaxNode | null => {
  const child = node.childForFieldName(field)
  return child !== null && types.includes(child.type) ? child : null
}

/** The named sibling before (or after) this one that is not a comment. */
export const before = (node: SyntaxNode): SyntaxNode | null => {
  let at = node.previousNamedSibling
  while (at !== null && isExtra(at)) at = at.previousNamedSibling
  return at
}
export const after = (node: SyntaxNode): SyntaxNode | null => {
  let at = node.nextNamedSibling
  while (at !== null && isExtra(at)) at = at.nextNamedSibling
  return at
}

export const hasComment = (node: SyntaxNode): boolean => node.namedChildren.some(isComment)

export const rootOf = (node: SyntaxNode): SyntaxNode => {
  let at = node
  while (at.parent !== null) at = at.parent
  return at
}

/** The first line of the node, from 1. */
export const lineOf = (node: SyntaxNode): number => node.startPosition.row + 1

/** The first line only, without its comment and the block that begins there, for a node that is too long to mark as a whole. */
export const firstLineOf = (node: SyntaxNode): Required<Range> => {
  const { column, line } = rangeOf(node)
  const [first = ""] = node.text.split("\n", 1)
  const rest = within(node, notMarked).find(({ startIndex, startPosition }) => {
    return startPosition.row + 1 === line && startIndex > node.startIndex
  })
  const marked = rest === undefined ? first : first.slice(0, rest.startIndex - node.startIndex)
  return { line, endLine: line, column, endColumn: column + Math.max(1, marked.trimEnd().length) }
}

/** The part that is wrong, of a node of one line. A node of several lines is marked as a whole: any of them may be the change. */
export const partIn = (node: SyntaxNode, part: SyntaxNode | null | undefined): true | Required<Range> => {
  const { endLine, line } = rangeOf(node)
  return part == null || endLine !== line ? true : rangeOf(part)
}

const notMarked = ["comment", "line_comment", "block_comment", "block", "statement_block", "class_body"]

/** The first line of a node, as another place of a claim. */
export const relatedPlace = (node: SyntaxNode, message: string): OtherPlace => {
  const { column, endColumn, line } = firstLineOf(node)
  return { line, column, endColumn, message }
}

/** A field of the node, such as its name, if it is on the first line; else that line. For a claim on a long node. */
export const childRange = (node: SyntaxNode, field: string): Required<Range> => {
  const child = node.childForFieldName(field)
  return child === null || lineOf(child) !== lineOf(node) ? firstLineOf(node) : firstLineOf(child)
}

/** Source text without white space, for comparisons of expressions. */
export const squeezed = (node: SyntaxNode): string => node.text.replace(/\s+/g, "")

const statement = /^\s*(select\b[\s\S]*\bfrom\b|insert\s+into\b|update\b[\s\S]*\bset\b|delete\s+from\b)/i

/** Queries of these return names of tables and columns, which come from the program's own schema. */
const catalogueOfTables = /\b(sqlite_master|sqlite_schema|information_schema|pg_catalog|pg_class|pragma_\w+|setval)\b/i

/**
 * Is this an SQL statement with a value in quotes at `hole`? Tables and columns do not count, because they cannot be bound
 * as parameters.
 */
export const quotesIntoSql = (text: string, hole: RegExp): boolean =>
  statement.test(text) &&
  !catalogueOfTables.test(text) &&
  new RegExp(`(=|<|>|\\blike\\b|\\bilike\\b|[(,])\\s*'%{0,2}(${hole.source})`, "i").test(text)
