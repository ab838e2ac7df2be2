/** What a parser reads of a file, and the part of tree-sitter's interface that dd uses. */
import type { Grammar } from "../change/Grammar.ts"

/** The code of a file as the parser reads it. */
export interface CodeOfFile {
  readonly grammar: Grammar
  /** As many lines as the file has, blank where it has other text. Null if only a patch is known. */
  readonly lines: ReadonlyArray<string> | null
  /** What of the file is not in these lines; "" for nothing. */
  readonly note: string
  /** A place that people find, for a file that is not edited as text; absent for other files. */
  readonly placeOf?: (line: number) => string | null
  /** Is the value of a statement here shown instead of discarded? Absent: never. */
  readonly isShown?: (line: number) => boolean
}

/** Rows and columns from 0; indices and columns count UTF-16 units. */
export interface SyntaxNode {
  readonly id: number
  readonly type: string
  readonly text: string
  readonly isNamed: boolean
  readonly hasError: boolean
  readonly startIndex: number
  readonly endIndex: number
  readonly startPosition: { readonly row: number; readonly column: number }
  readonly endPosition: { readonly row: number; readonly column: number }
  readonly parent: SyntaxNode | null
  readonly children: ReadonlyArray<SyntaxNode>
  readonly namedChildren: ReadonlyArray<SyntaxNode>
  readonly nextNamedSibling: SyntaxNode | null
  readonly previousNamedSibling: SyntaxNode | null
  readonly childForFieldName: (name: string) => SyntaxNode | null
  /** Includes the node itself; with positions, only nodes that overlap the range. In source order. */
  readonly descendantsOfType: (
    types: string | Array<string>,
    start?: { readonly row: number; readonly column: number },
    end?: { readonly row: number; readonly column: number }
  ) => ReadonlyArray<SyntaxNode>
  /** The smallest node that spans both indices. */
  readonly descendantForIndex: (start: number, end: number) => SyntaxNode | null
}

/** One match of a query: the captured nodes in source order, by capture name (without `@`). */
export type Captures = Readonly<Record<string, ReadonlyArray<SyntaxNode>>>

/** A range of rows from 0, both included. */
export interface Rows {
  readonly first: number
  readonly last: number
}
