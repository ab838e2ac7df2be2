/** Which languages' symbols are known, and how each is read. */

import { type Grammar, grammarOf } from "../domain/change/Grammar.ts"
import type { FileSymbols, ImportedName, Occurrence } from "../domain/code/Symbol.ts"
import { wordPlaces } from "../domain/code/Symbol.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { cOccurrence } from "./c/occurrence.ts"
import { cImports, cSymbols } from "./c/symbols.ts"
import { csharpImports, csharpOccurrence, csharpSymbols } from "./csharp/symbols.ts"
import { elixirBuiltins, elixirImports, elixirOccurrence, elixirSymbols } from "./elixir/symbols.ts"
import { goBuiltins, goImports, goOccurrence, goSymbols } from "./go/symbols.ts"
import { importStatementsOf } from "./imports.ts"
import { javaBuiltins, javaImports, javaSymbols } from "./java/symbols.ts"
import { javaOccurrence } from "./java/uses.ts"
import { kotlinImports, kotlinOccurrence, kotlinSymbols } from "./kotlin/symbols.ts"
import { phpImports, phpOccurrence, phpSymbols } from "./php/symbols.ts"
import { pythonBuiltins, pythonImports, pythonOccurrence, pythonSymbols } from "./python/symbols.ts"
import { rubyImports, rubyOccurrence, rubySymbols } from "./ruby/symbols.ts"
import { rustBuiltins, rustImports, rustSymbols } from "./rust/symbols.ts"
import { rustOccurrence } from "./rust/uses.ts"
import { scriptGlobals, scriptImports, scriptOccurrence, scriptSymbols } from "./script/symbols.ts"
import { swiftImports, swiftOccurrence, swiftSymbols } from "./swift/symbols.ts"

interface Language {
  /** Are its uses resolved well enough to say that a change breaks them? */
  readonly contracts: boolean
  readonly symbols: (root: SyntaxNode, path: string) => FileSymbols
  /** Every import, wherever in the file it stands. */
  readonly imports: (root: SyntaxNode) => ReadonlyArray<ImportedName>
  readonly occurrence: (node: SyntaxNode) => Occurrence | null
  /** Names that need no definition; only where contracts are judged does anybody ask. */
  readonly builtins: ReadonlySet<string>
}

const isTyped = (path: string): boolean => /\.(?:[cm]?ts|tsx)$/.test(path)

const script: Language = {
  contracts: true,
  symbols: (root, path) => scriptSymbols(root, isTyped(path)),
  imports: scriptImports,
  occurrence: scriptOccurrence,
  builtins: scriptGlobals
}

/** Known, and not well enough to judge by. */
const unjudged = { contracts: false, builtins: new Set<string>() }

const cFamily: Language = { ...unjudged, symbols: cSymbols, imports: cImports, occurrence: cOccurrence }

const languages: Readonly<Partial<Record<Grammar, Language>>> = {
  python: {
    contracts: true,
    symbols: pythonSymbols,
    imports: pythonImports,
    occurrence: pythonOccurrence,
    builtins: pythonBuiltins
  },
  typescript: script,
  tsx: script,
  javascript: script,
  go: { contracts: true, symbols: goSymbols, imports: goImports, occurrence: goOccurrence, builtins: goBuiltins },
  rust: {
    contracts: true,
    symbols: rustSymbols,
    imports: rustImports,
    occurrence: rustOccurrence,
    builtins: rustBuiltins
  },
  java: {
    contracts: true,
    symbols: javaSymbols,
    imports: javaImports,
    occurrence: javaOccurrence,
    builtins: javaBuiltins
  },
  elixir: {
    contracts: false,
    symbols: elixirSymbols,
    imports: elixirImports,
    occurrence: elixirOccurrence,
    builtins: elixirBuiltins
  },
  swift: { ...unjudged, symbols: swiftSymbols, imports: swiftImports, occurrence: swiftOccurrence },
  ruby: { ...unjudged, symbols: rubySymbols, imports: rubyImports, occurrence: rubyOccurrence },
  kotlin: { ...unjudged, symbols: kotlinSymbols, imports: kotlinImports, occurrence: kotlinOccurrence },
  c: cFamily,
  cpp: cFamily,
  csharp: { ...unjudged, symbols: csharpSymbols, imports: csharpImports, occurrence: csharpOccurrence },
  php: { ...unjudged, symbols: phpSymbols, imports: phpImports, occurrence: phpOccurrence }
}

/** Null for a file of a language whose symbols are not known. */
export const languageOf = (path: string): Language | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (languages[grammar] ?? null)
}

/**
 * Reads the imports of any language whose files name others, whole paths where only those lead to a file; null for the
 * rest.
 */
export const importReaderOf = (grammar: Grammar): ((root: SyntaxNode) => ReadonlyArray<ImportedName>) | null =>
  importsFromStatements(grammar) ?? languages[grammar]?.imports ?? null

const importsFromStatements = (grammar: Grammar) => {
  const statements = importStatementsOf(grammar)
  if (statements === null) return null
  return (root: SyntaxNode): ReadonlyArray<ImportedName> =>
    root.descendantsOfType([...statements.types]).flatMap((statement) =>
      statements.read(statement).map((module) => ({
        module,
        name: null,
        local: "",
        line: statement.startPosition.row + 1,
        guarded: false
      }))
    )
}

/** Every place of the word in code, in source order: strings and comments have none. */
export const occurrencesOf = (
  language: Language,
  root: SyntaxNode,
  text: string,
  word: string
): ReadonlyArray<Occurrence> =>
  wordPlaces(text, word).flatMap((at) => {
    const node = root.descendantForIndex(at, at + word.length)
    const isWord = node !== null && node.startIndex === at && node.endIndex === at + word.length
    return isWord ? (language.occurrence(node) ?? []) : []
  })
