/** The names of the grammars that files are parsed with; `languages/languages.ts` has a record for each. */

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

/** The mapping from file names to grammars. */
export interface GrammarFiles {
  /** The grammar for a path, by its extension; null if dd has none. */
  readonly grammarOf: (path: string) => Grammar | null
  readonly usualEnding: (grammar: Grammar) => string
}
