/** The list of languages, and look-ups in it by the path of a file. */
import { type Grammar, grammars } from "../domain/change/Grammar.ts"
import type { ImportedName, Occurrence, Uses } from "../domain/code/Symbol.ts"
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
import { placesIn, scopedPlaces } from "./scopes.ts"
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

/** All endings with a grammar, with the dot. */
export const allEndings: ReadonlyArray<string> = [...grammarByEnding.keys()].map((ending) => `.${ending}`)

export const usualEnding = (grammar: Grammar): string => languages[grammar].endings[0]

export const endingsOfGrammar = (grammar: Grammar): ReadonlyArray<string> =>
  languages[grammar].endings.map((ending) => `.${ending}`)

/** The grammar for a path, by its extension; null if dd has none. */
export const grammarOf = (path: string): Grammar | null => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? null : (grammarByEnding.get(name.slice(dot + 1).toLowerCase()) ?? null)
}

/** The text without syntax that the grammar does not know, in the same length. */
export const supportedText = (grammar: Grammar, text: string): string =>
  languages[grammar].unsupported.reduce(
    (read, { instead, pattern }) => read.replace(pattern, (part) => instead ?? part.replace(/\S/g, " ")),
    text
  )

const named = (name: string, endings: string): ReadonlyArray<readonly [string, string]> =>
  endings.split(" ").map((ending) => [ending, name])

/** Languages for which no rule is shipped. */
const withoutRules = new Map([
  ...named("C", "c h"),
  ...named("C++", "cc cpp cxx hh hpp hxx"),
  ...named("C#", "cs"),
  ...named("Clojure", "clj cljc cljs"),
  ...named("Dart", "dart"),
  ...named("Erlang", "erl hrl"),
  ...named("F#", "fs fsi fsx"),
  ...named("Groovy", "groovy"),
  ...named("Haskell", "hs"),
  ...named("Julia", "jl"),
  ...named("Kotlin", "kt kts"),
  ...named("Lua", "lua"),
  ...named("Nim", "nim"),
  ...named("OCaml", "ml mli"),
  ...named("Objective-C", "m mm"),
  ...named("Perl", "pl pm"),
  ...named("PHP", "php"),
  ...named("PowerShell", "ps1 psm1"),
  ...named("R", "r"),
  ...named("Scala", "scala sc"),
  ...named("shell", "sh bash zsh fish"),
  ...named("Solidity", "sol"),
  ...named("SQL", "sql"),
  ...named("Svelte", "svelte"),
  ...named("Visual Basic", "vb"),
  ...named("Vue", "vue"),
  ...named("Zig", "zig")
])

/** The language of a file, if no rule is shipped for it. */
export const languageWithoutRules = (path: string): string | null =>
  withoutRules.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "") ?? null

/** The grammar for a file with a known text. */
export const grammarFor = (path: string, text: string): Grammar | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (languages[grammar].grammarOf?.(path, text) ?? grammar)
}

/** Null if dd does not read the language of the file. */
export const languageOf = (path: string): Language | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : languages[grammar]
}

export const casesOf = (path: string): Language["cases"] => languageOf(path)?.cases ?? null

export const hierarchyOf = (path: string): Language["hierarchy"] => languageOf(path)?.hierarchy ?? null

/** Is the language of the file judged: are uses resolved well enough to report broken ones? */
export const isJudged = (path: string): boolean => (languageOf(path)?.contracts ?? null) !== null

export const familyOf = (path: string): Family | null => languageOf(path)?.family ?? null

export const families: ReadonlyArray<Family> = [...new Set(grammars.map((grammar) => languages[grammar].family))]

/** The endings of a family's files. */
export const endingsOf = (family: Family): ReadonlyArray<string> =>
  grammars.filter((grammar) => languages[grammar].family === family).flatMap(endingsOfGrammar)

/** Reads the imports of a text of import statements: as complete paths if only these lead to files. */
export const importsIn = (grammar: Grammar, root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const { imports, modules } = languages[grammar]
  if (modules === null) return imports(root)
  return root
    .descendantsOfType([...modules.types])
    .flatMap((statement) => modules.read(statement).map((module) => imported(statement, module, null, "")))
}

/** All occurrences of the word in code, in source order, without strings and comments. */
export const occurrencesOf = (
  { occurrence }: Language,
  root: SyntaxNode,
  text: string,
  word: string
): ReadonlyArray<Occurrence> => placesIn(root, text, word, occurrence).map((place) => place.occurrence)

/** The imports of a text, and the occurrences of words in its code, in source order, except those of local names. */
export const usesIn = (
  { imports, occurrence, scopes }: Language,
  root: SyntaxNode,
  text: string,
  words: ReadonlyArray<string>
): Uses => {
  const stated = imports(root)
  const placesOf = scopedPlaces(scopes, root, text, occurrence, stated)
  return {
    imports: stated,
    occurrences: new Map(words.map((word) => [word, placesOf(word).map((place) => place.occurrence)]))
  }
}
