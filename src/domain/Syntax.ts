/** Syntax trees as rules see them: the part of tree-sitter's node that dd relies on, and no more. */

export const grammars = [
  "python",
  "typescript",
  "tsx",
  "javascript",
  "go",
  "rust",
  "elixir",
  "java",
  "swift",
  "ruby"
] as const
export type Grammar = (typeof grammars)[number]

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
  readonly descendantsOfType: (types: string | Array<string>) => ReadonlyArray<SyntaxNode>
  /** The smallest node that spans both indices. */
  readonly descendantForIndex: (start: number, end: number) => SyntaxNode | null
}

/** One match of a query: capture name (without `@`) to the nodes it caught, in source order. */
export type Captures = Readonly<Record<string, ReadonlyArray<SyntaxNode>>>

/** The ending of a file's name, without its dot, to the grammar it is parsed with. */
export const grammarEndings: Readonly<Record<string, Grammar>> = {
  py: "python",
  pyi: "python",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  jsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  go: "go",
  rs: "rust",
  ex: "elixir",
  exs: "elixir",
  java: "java",
  swift: "swift",
  rb: "ruby"
}

/** The grammar for a path, by its extension; null when dd embeds none. */
export const grammarOf = (path: string): Grammar | null => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? null : (grammarEndings[name.slice(dot + 1).toLowerCase()] ?? null)
}
