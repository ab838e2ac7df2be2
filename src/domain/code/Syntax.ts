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
  "ruby",
  "kotlin",
  "c",
  "cpp",
  "csharp",
  "php"
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
  /** Itself among them; with positions, only those that reach into what lies between. In source order. */
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
  rb: "ruby",
  kt: "kotlin",
  kts: "kotlin",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hh: "cpp",
  hpp: "cpp",
  hxx: "cpp",
  ipp: "cpp",
  inl: "cpp",
  cs: "csharp",
  php: "php"
}

/** The ending most files of this grammar have. */
export const usualEnding = (grammar: Grammar): string =>
  Object.keys(grammarEndings).find((ending) => grammarEndings[ending] === grammar) ?? ""

/** The grammar for a path, by its extension; null when dd embeds none. */
export const grammarOf = (path: string): Grammar | null => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? null : (grammarEndings[name.slice(dot + 1).toLowerCase()] ?? null)
}

/** What no header of plain C says at the beginning of a line. */
const onlyInCpp = /^\s*(?:(?:class|namespace|template)\b|using\s+\w|(?:public|private|protected)\s*:|extern\s+"C\+\+")/m

/** The grammar for a file whose text is at hand: a header may be C or C++, and its name does not tell. */
export const grammarFor = (path: string, text: string): Grammar | null => {
  const grammar = grammarOf(path)
  return grammar === "c" && /\.h$/i.test(path) && onlyInCpp.test(text) ? "cpp" : grammar
}
