/** Syntax trees as rules see them: the part of tree-sitter's node that dd relies on, and no more. */

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

/** One match of a query: capture name (without `@`) to the nodes it caught, in source order. */
export type Captures = Readonly<Record<string, ReadonlyArray<SyntaxNode>>>

/** A run of rows from 0, both included. */
export interface Rows {
  readonly first: number
  readonly last: number
}
