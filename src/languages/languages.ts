/** The list of languages, and what is looked up in it by the path of a file. */
import { type Grammar, grammars } from "../domain/change/Grammar.ts"
import type { ImportedName, Occurrence } from "../domain/code/Symbol.ts"
import { wordPlaces } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { c, cpp } from "./c/c.ts"
import { csharp } from "./csharp/csharp.ts"
import { elixir } from "./elixir/elixir.ts"
import { go } from "./go/go.ts"
import { imported } from "./imported.ts"
import { java } from "./java/java.ts"
import { kotlin } from "./kotlin/kotlin.ts"
import type { Family, Language } from "./Language.ts"
import { php } from "./php/php.ts"
import { python } from "./python/python.ts"
import { ruby } from "./ruby/ruby.ts"
import { rust } from "./rust/rust.ts"
import { javascript, tsx, typescript } from "./script/script.ts"
import { swift } from "./swift/swift.ts"

export const languages: Readonly<Record<Grammar, Language>> = {
  python,
  typescript,
  tsx,
  javascript,
  go,
  rust,
  elixir,
  java,
  swift,
  ruby,
  kotlin,
  c,
  cpp,
  csharp,
  php
}

const grammarByEnding: ReadonlyMap<string, Grammar> = new Map(
  grammars.flatMap((grammar) => languages[grammar].endings.map((ending) => [ending, grammar] as const))
)

/** Every ending of a name that dd has a grammar for, with its dot. */
export const allEndings: ReadonlyArray<string> = [...grammarByEnding.keys()].map((ending) => `.${ending}`)

export const usualEnding = (grammar: Grammar): string => languages[grammar].endings[0]

export const endingsOfGrammar = (grammar: Grammar): ReadonlyArray<string> =>
  languages[grammar].endings.map((ending) => `.${ending}`)

/** The grammar for a path, by its extension; null when dd embeds none. */
export const grammarOf = (path: string): Grammar | null => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? null : (grammarByEnding.get(name.slice(dot + 1).toLowerCase()) ?? null)
}

/** The grammar for a file whose text is at hand. */
export const grammarFor = (path: string, text: string): Grammar | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (languages[grammar].grammarOf?.(path, text) ?? grammar)
}

/** Null for a file of a language that dd does not read. */
export const languageOf = (path: string): Language | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : languages[grammar]
}

export const casesOf = (path: string): Language["cases"] => languageOf(path)?.cases ?? null

export const hierarchyOf = (path: string): Language["hierarchy"] => languageOf(path)?.hierarchy ?? null

/** Are uses of the file's language resolved well enough to say that a change breaks them? */
export const isJudged = (path: string): boolean => (languageOf(path)?.contracts ?? null) !== null

export const familyOf = (path: string): Family | null => languageOf(path)?.family ?? null

export const families: ReadonlyArray<Family> = [...new Set(grammars.map((grammar) => languages[grammar].family))]

/** How the names of a family's files end. */
export const endingsOf = (family: Family): ReadonlyArray<string> =>
  grammars.filter((grammar) => languages[grammar].family === family).flatMap(endingsOfGrammar)

/** Reads the imports of a text made of import statements: whole paths where only those lead to a file. */
export const importsIn = (grammar: Grammar, root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const { imports, modules } = languages[grammar]
  if (modules === null) return imports(root)
  return root
    .descendantsOfType([...modules.types])
    .flatMap((statement) => modules.read(statement).map((module) => imported(statement, module, null, "")))
}

/** Every place of the word in code, in source order: strings and comments have none. */
export const occurrencesOf = (
  { occurrence }: Language,
  root: SyntaxNode,
  text: string,
  word: string
): ReadonlyArray<Occurrence> =>
  wordPlaces(text, word).flatMap((at) => {
    const node = root.descendantForIndex(at, at + word.length)
    const isWord = node !== null && node.startIndex === at && node.endIndex === at + word.length
    return isWord ? (occurrence(node) ?? []) : []
  })
