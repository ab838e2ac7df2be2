/** Which grammar a file is parsed with, and which languages import each other's files, by the names of files. */

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

/** Languages that import each other's files. */
const familyByGrammar: Readonly<Partial<Record<Grammar, string>>> = {
  python: "python",
  typescript: "script",
  tsx: "script",
  javascript: "script",
  go: "go",
  rust: "rust",
  elixir: "elixir",
  java: "java",
  ruby: "ruby"
}

export const families: ReadonlyArray<string> = [...new Set(Object.values(familyByGrammar))]

/** How the names of a language's files end. */
export const endingsOf = (family: string): ReadonlyArray<string> =>
  Object.entries(grammarEndings).flatMap(([ending, grammar]) =>
    familyByGrammar[grammar] === family ? [`.${ending}`] : []
  )

/** Null for a file whose language has no imports that name files. */
export const familyOf = (path: string): string | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (familyByGrammar[grammar] ?? null)
}
