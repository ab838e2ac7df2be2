/** Which parts of code are highlighted, read from its syntax tree by names that the grammars have in common. */
import type { Rows, SyntaxNode } from "./Syntax.ts"

export type TokenKind = "comment" | "string" | "number" | "keyword" | "type"

/** A part of a line. Columns from 1, in UTF-16 units; the end is exclusive. */
export interface Token {
  readonly kind: TokenKind
  readonly line: number
  readonly column: number
  readonly endColumn: number
}

const comment = /comment/
const string =
  /^(?:.*_)?(?:string|char|character|rune|regex|charlist|heredoc_body|quoted_content)(?:_literal|_expression|_lit)?$/
const number = /^(?:.*_)?(?:integer|int|float|number|real|numeric|decimal|hex|bin|oct)(?:_literal)?$/
const type =
  /^(?:type_identifier|primitive_type|predefined_type|builtin_type|(?:integral|floating_point|boolean|void)_type)$/
const constant = new Set(["true", "false", "null", "nil", "none", "undefined", "boolean_literal", "null_literal"])
const word = /^[a-z][a-z_]+$/

/** The kind of a node as a whole; null: look at its children. */
const kindOf = ({ children, isNamed, type: name }: SyntaxNode): TokenKind | null => {
  if (!isNamed) return children.length === 0 && word.test(name) ? "keyword" : null
  if (comment.test(name)) return "comment"
  if (string.test(name)) return "string"
  if (type.test(name)) return "type"
  return children.length === 0 && (number.test(name) || constant.has(name)) ? "number" : null
}

/** In source order, without overlaps; only lines of `rows`. */
export const highlights = (
  root: SyntaxNode,
  rows: ReadonlyArray<Rows>,
  lines: ReadonlyArray<string>
): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  const isShown = (row: number) => rows.some(({ first, last }) => row >= first && row <= last)
  const walk = (node: SyntaxNode): void => {
    const { endPosition: end, startPosition: start } = node
    if (!rows.some(({ first, last }) => start.row <= last && end.row >= first)) return
    const kind = kindOf(node)
    if (kind === null) {
      for (const child of node.children) walk(child)
      return
    }
    for (let row = start.row; row <= end.row; row++) {
      if (!isShown(row)) continue
      const column = row === start.row ? start.column + 1 : 1
      const endColumn = row === end.row ? end.column + 1 : (lines[row] ?? "").length + 1
      if (endColumn > column) found.push({ kind, line: row + 1, column, endColumn })
    }
  }
  walk(root)
  return found
}
