/** Which languages' symbols are known, and how each is read. */
import type { FileSymbols, ImportedName, Occurrence } from "../../domain/Symbol.ts"
import { wordPlaces } from "../../domain/Symbol.ts"
import { type Grammar, grammarOf, type SyntaxNode } from "../../domain/Syntax.ts"
import { goBuiltins, goImports, goOccurrence, goSymbols } from "./go.ts"
import { javaBuiltins, javaImports, javaSymbols } from "./java.ts"
import { javaOccurrence } from "./javaUses.ts"
import { pythonBuiltins, pythonImports, pythonOccurrence, pythonSymbols } from "./python.ts"
import { rustBuiltins, rustImports, rustSymbols } from "./rust.ts"
import { rustOccurrence } from "./rustUses.ts"
import { scriptGlobals, scriptImports, scriptOccurrence, scriptSymbols } from "./script.ts"

interface Language {
  /** Are its uses resolved well enough to say that a change breaks them? */
  readonly contracts: boolean
  readonly symbols: (root: SyntaxNode, path: string) => FileSymbols
  /** Every import, wherever in the file it stands. */
  readonly imports: (root: SyntaxNode) => ReadonlyArray<ImportedName>
  readonly occurrence: (node: SyntaxNode) => Occurrence | null
  /** Names that need no definition. */
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
  }
}

/** Null for a file of a language whose symbols are not known. */
export const languageOf = (path: string): Language | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (languages[grammar] ?? null)
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
