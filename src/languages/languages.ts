/** The list of languages, and look-ups in it by the path of a file. */
import { type Grammar, grammars } from "../domain/change/Grammar.ts"
import type { ImportedName, Uses } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { c, cpp } from "./c/c.ts"
import { csharp } from "./csharp/csharp.ts"
import { elixir } from "./elixir/elixir.ts"
import { kindByName, namesOf } from "./fileKinds.ts"
import { go } from "./go/go.ts"
import { imported } from "./imported.ts"
import { java } from "./java/java.ts"
import { kotlin } from "./kotlin/kotlin.ts"
import type { Family, Language } from "./Language.ts"
import { php } from "./php/php.ts"
import { python } from "./python/python.ts"
import { ruby } from "./ruby/ruby.ts"
import { rust } from "./rust/rust.ts"
import { namesIn } from "./scopes.ts"
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

/** The endings and names of all files with a grammar. */
export const allEndings: ReadonlyArray<string> = grammars.flatMap(namesOf)

/** The grammar for a path whose file is code as a whole; null if dd has none, or the name does not say it. */
export const grammarOf = (path: string): Grammar | null => kindByName(path)?.grammar ?? null

/** The text without syntax that the grammar does not know, in the same length. */
export const supportedText = (grammar: Grammar, text: string): string =>
  languages[grammar].unsupported.reduce(
    (read, { instead, pattern }) => read.replace(pattern, (part) => instead ?? part.replace(/\S/g, " ")),
    text
  )

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
  grammars.filter((grammar) => languages[grammar].family === family).flatMap(namesOf)

/** Reads the imports of a text of import statements: as complete paths if only these lead to files. */
export const importsIn = (grammar: Grammar, root: SyntaxNode): ReadonlyArray<ImportedName> => {
  const { imports, modules } = languages[grammar]
  if (modules === null) return imports(root)
  return root
    .descendantsOfType([...modules.types])
    .flatMap((statement) => modules.read(statement).map((module) => imported(statement, module, null, "")))
}

/** The imports of a text, and the occurrences of words in its code, in source order, except those of local names. */
export const usesIn = (
  { imports, occurrence, scopes }: Language,
  root: SyntaxNode,
  text: string,
  words: ReadonlyArray<string>
): Uses => {
  const stated = imports(root)
  const { ofFile } = namesIn(scopes, root, text, occurrence, stated)
  return {
    imports: stated,
    occurrences: new Map(words.map((word) => [word, ofFile(word).map((place) => place.occurrence)]))
  }
}
