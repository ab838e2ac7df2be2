/** The part of tree-sitter's interface that dd uses. */

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
