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

/** What the name of a file has to do with its grammar. */
export interface GrammarFiles {
  /** The grammar for a path, by its extension; null when dd embeds none. */
  readonly grammarOf: (path: string) => Grammar | null
  readonly usualEnding: (grammar: Grammar) => string
}
