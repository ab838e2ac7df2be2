/**
 * What the files of both sides define, import and use.
 *
 * A text is read on demand; its symbols are kept for the run, and for later runs by the id of its blob. The cache does
 * not affect results. The result is null for a file whose symbols are unknown: absent, not text, too large, without a
 * grammar.
 */
import { Context, Effect, Hash, Layer, Option, Result, Semaphore } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import type { Grammar } from "../../domain/change/Grammar.ts"
import type { DefinitionPlace } from "../../domain/code/CodeQuery.ts"
import {
  type Definition,
  type FileSymbols,
  type ImportedName,
  type Occurrence,
  packSymbols,
  type Uses,
  unpackSymbols
} from "../../domain/code/Symbol.ts"
import type { WordUse } from "../../domain/code/WordUse.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { asText, importStatements } from "../../languages/imports.ts"
import { grammarOf, importsIn as importsOfText, languageOf, languages, usesIn } from "../../languages/languages.ts"
import { nestedDefinitions } from "../../languages/nested.ts"
import { unreadParts } from "../../languages/tree.ts"
import { type WordUses, wordUsesIn } from "../../languages/wordUses.ts"
import { BlobFacts, type FactKey } from "../change/BlobFacts.ts"
import { FileCounts } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { withServices } from "../system/withServices.ts"
import { SyntaxParser } from "./SyntaxParser.ts"
import { type Question, SyntaxTrees } from "./SyntaxTrees.ts"

/** The import statements of a head-side file, without their lines and context. */
export interface FileImports {
  /** Number of characters of the file. */
  readonly length: number
  readonly imports: ReadonlyArray<ImportedName>
  /** Why the statements could not be read; null if they were. */
  readonly problem: string | null
}

/**
 * Definitions that the index omits on the head side, as if the change had removed them. A place that then does not
 * resolve uses one of them.
 */
export const HiddenDefinitions = Context.Reference<ReadonlyArray<DefinitionPlace>>(
  "dd/services/SymbolIndex/HiddenDefinitions",
  {
    defaultValue: () => []
  }
)

export class SymbolIndex extends Context.Service<
  SymbolIndex,
  {
    /** Of a head-side file. */
    readonly symbols: (path: string) => Effect.Effect<FileSymbols | null>
    /** The definitions of this name in a head-side file that `symbols` leaves out, because no name is resolved to them. */
    readonly nested: (path: string, name: string) => Effect.Effect<ReadonlyArray<Definition>>
    /** Of a changed file before the change. */
    readonly symbolsBefore: (file: DiffFile) => Effect.Effect<FileSymbols | null>
    /** For each head-side path, from import statements alone; cheaper for many paths at once. */
    readonly imports: (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FileImports | null>>
    /** The imports of a head-side file with their lines, and the places of these words in its code. */
    readonly uses: (path: string, words: ReadonlyArray<string>) => Effect.Effect<Uses>
    /** What these words are at their places in a head-side file; null if it has no tree. */
    readonly wordUses: (path: string, words: ReadonlyArray<string>) => Effect.Effect<WordUses | null>
  }
>()("dd/services/code/SymbolIndex") {
  static readonly layer = Layer.effect(
    SymbolIndex,
    Effect.gen(function* () {
      const trees = yield* SyntaxTrees
      const reading = yield* withServices({ symbolsIn, cachedImports, readImports, wordUsesOf })
      const symbolsOf = oncePerKey<string, FileSymbols | null>()
      const symbolsBeforeOf = oncePerKey<DiffFile, FileSymbols | null>()
      const importsOf = new Map<string, FileImports | null>()
      const readingImports = yield* Semaphore.make(1)

      const readSymbols = (path: string) =>
        symbolsOf(
          path,
          reading.symbolsIn("head", path, (question) => trees.head(path, question))
        )

      const symbols = Effect.fnUntraced(function* (path: string) {
        const hidden = (yield* HiddenDefinitions).filter((each) => each.path === path)
        const found = yield* readSymbols(path)
        return found === null || hidden.length === 0 ? found : symbolsWithout(found, hidden)
      })

      const nested = Effect.fnUntraced(function* (path: string, name: string) {
        const forms = languageOf(path)?.nested
        if (forms == null) return []
        const found = yield* trees.head(path, { ask: (root) => nestedDefinitions(forms, root, name) })
        const known = (yield* readSymbols(path))?.definitions ?? []
        return (found ?? []).filter(
          ({ endLine, line }) =>
            !known.some((each) => each.name === name && each.line <= line && endLine <= each.endLine)
        )
      })

      const symbolsBefore = (file: DiffFile): Effect.Effect<FileSymbols | null> =>
        file.oldPath === null
          ? Effect.succeed(null)
          : symbolsBeforeOf(
              file,
              reading.symbolsIn("base", file.oldPath, (question) => trees.base(file, question))
            )

      /** Reads the imports of the files whose imports are unknown. */
      const learnImports = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
        const fresh = [...new Set(paths)].filter((path) => !importsOf.has(path))
        for (const [path, facts] of yield* reading.cachedImports(fresh)) importsOf.set(path, facts)
        const rest = fresh.filter((path) => !importsOf.has(path))
        if (rest.length === 0) return
        for (const [path, facts] of yield* reading.readImports(rest)) importsOf.set(path, facts)
      })

      const imports = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
        const isKnown = paths.every((path) => importsOf.has(path))
        if (!isKnown) yield* readingImports.withPermit(learnImports(paths))
        return paths.map((path) => importsOf.get(path) ?? null)
      })

      const uses = Effect.fnUntraced(function* (path: string, words: ReadonlyArray<string>) {
        const nothing: Uses = { imports: [], occurrences: new Map() }
        const found = yield* trees.head(path, {
          ask: (root, { text }, grammar) => usesIn(languages[grammar], root, text, words)
        })
        const hidden = (yield* HiddenDefinitions).filter((each) => each.path === path)
        return found === null || hidden.length === 0 ? (found ?? nothing) : usesWithout(found, hidden)
      })

      const wordUses = (path: string, words: ReadonlyArray<string>) =>
        reading.wordUsesOf(path, words.toSorted(compareText), (question) => trees.head(path, question))

      return SymbolIndex.of({ symbols, nested, symbolsBefore, imports, uses, wordUses })
    })
  )
}

const keyOf = Effect.fnUntraced(function* (which: "base" | "head", path: string) {
  const sources = yield* Sources
  const grammar = grammarOf(path)
  const blob = grammar === null ? null : yield* sources.blobOf(which, path)
  const key: FactKey | null = grammar === null || blob === null ? null : { grammar, blob }
  return key
})

const symbolsIn = Effect.fnUntraced(function* (
  which: "base" | "head",
  path: string,
  ask: (question: Question<FileSymbols>) => Effect.Effect<FileSymbols | null>
) {
  const cache = yield* BlobFacts
  const key = yield* keyOf(which, path)
  const [known] = key === null ? [] : yield* cache.get("symbols", [key])
  const remembered = known == null ? null : unpacked(unpackSymbols, known)
  if (remembered !== null) {
    yield* countSymbols(remembered)
    return remembered
  }
  const found = yield* ask({
    ask: (root, _, grammar) => ({ ...digested(languages[grammar].symbols(root, path)), unread: unreadParts(root) })
  })
  if (found !== null) yield* countSymbols(found)
  if (key !== null && found !== null) yield* cache.put("symbols", key, packSymbols(found))
  return found
})

/** Kept for these words: a brief is made several times of one change. */
const wordUsesOf = Effect.fnUntraced(function* (
  path: string,
  words: ReadonlyArray<string>,
  ask: (question: Question<WordUses>) => Effect.Effect<WordUses | null>
) {
  const cache = yield* BlobFacts
  const own = yield* keyOf("head", path)
  const asked = words.join(" ")
  const key = own === null ? null : { ...own, blob: `${own.blob} ${Hash.string(asked)}` }
  const [known] = key === null ? [] : yield* cache.get("uses", [key])
  const remembered = known == null ? null : unpacked(unpackUses, known)
  if (remembered?.asked === asked) return remembered.uses
  const uses = yield* ask({ ask: (root, { text }, grammar) => wordUsesIn(grammar, root, text, words) })
  if (key !== null && uses !== null) yield* cache.put("uses", key, [asked, uses.imports, ...uses.uses])
  return uses
})

type PackedUses = readonly [string, WordUses["imports"], ...ReadonlyArray<readonly [string, ReadonlyArray<WordUse>]>]

const unpackUses = (packed: unknown) => {
  const [asked, imports, ...uses] = packed as PackedUses
  const found: WordUses = { imports, uses: new Map(uses) }
  return { asked, uses: found }
}

/** Null if the joined texts cannot be separated, because one could contain the statements of the next. */
const parseImports = Effect.fnUntraced(function* (grammar: Grammar, texts: ReadonlyArray<string>) {
  const parser = yield* SyntaxParser
  const parsed = yield* parser.parse(grammar, texts.join(""))
  if (parsed.root.hasError && texts.length > 1) return null
  const found = texts.map((): Array<ImportedName> => [])
  const textAt = textAtRow(texts)
  for (const imported of yield* parsed.read((root) => importsOfText(grammar, root))) {
    // The line and the context of a statement are unknown here.
    found[textAt(imported.line - 1)]?.push({ ...imported, line: 0, guarded: false })
  }
  return found
}, Effect.scoped)

/** Parsing many small texts separately takes several times as long as parsing them joined. */
const importsIn = Effect.fnUntraced(function* (grammar: Grammar, texts: ReadonlyArray<string>) {
  const together = yield* Effect.option(parseImports(grammar, texts))
  if (Option.isSome(together) && together.value !== null) {
    return together.value.map((imports) => ({ imports, problem: null }))
  }
  return yield* Effect.forEach(texts, (text) =>
    Effect.match(parseImports(grammar, [text]), {
      onSuccess: (found) => ({ imports: found?.[0] ?? [], problem: null }),
      onFailure: ({ message }) => ({ imports: [], problem: message })
    })
  )
})

/** The imports of those files that the cache has. */
const cachedImports = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const cache = yield* BlobFacts
  const keyed = yield* Effect.forEach(paths, (path) => Effect.map(keyOf("head", path), (key) => ({ path, key })))
  const known = keyed.flatMap(({ key, path }) => (key === null ? [] : [{ key, path }]))
  const facts = yield* cache.get(
    "imports",
    known.map(({ key }) => key)
  )
  const found = new Map<string, FileImports>()
  for (const [at, { path }] of known.entries()) {
    const remembered = facts[at] == null ? null : unpacked(unpackImports, facts[at])
    if (remembered !== null) found.set(path, remembered)
  }
  return found
})

const readImports = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  const cache = yield* BlobFacts
  const importsOf = new Map<string, FileImports | null>(paths.map((path) => [path, null]))
  yield* sources.preload(paths)
  for (const [grammar, some] of Map.groupBy(paths, grammarOf)) {
    if (grammar === null) continue
    const found = yield* Effect.forEach(some, (path) =>
      Effect.map(sources.head(path), (source) => (source._tag === "Text" ? [{ path, source }] : []))
    )
    const readable = found.flat()
    const texts = readable.map(({ path, source }) => asText(importStatements(path, source.lines)))
    const answers = yield* importsIn(grammar, texts)
    for (const [at, { path, source }] of readable.entries()) {
      const { imports, problem } = answers[at] ?? { imports: [], problem: null }
      const facts: FileImports = { length: source.text.length, imports, problem }
      importsOf.set(path, facts)
      const key = problem === null ? yield* keyOf("head", path) : null
      if (key !== null) yield* cache.put("imports", key, packImports(facts))
    }
  }
  return importsOf
})

const symbolsWithout = (symbols: FileSymbols, hidden: ReadonlyArray<DefinitionPlace>): FileSymbols => {
  const isHidden = (name: string, container: string | null) =>
    hidden.some(({ definition }) => definition.name === name && definition.container === container)
  return {
    ...symbols,
    definitions: symbols.definitions.filter(({ container, name }) => !isHidden(name, container)),
    exports:
      symbols.exports?.filter(({ from, local, name }) => from !== null || !isHidden(local ?? name, null)) ?? null,
    types: symbols.types.map((type) => ({
      ...type,
      fields: new Map([...type.fields].filter(([field]) => !isHidden(field, type.name)))
    }))
  }
}

/** Without the places that define a hidden definition. */
const usesWithout = ({ imports, occurrences }: Uses, hidden: ReadonlyArray<DefinitionPlace>): Uses => ({
  imports,
  occurrences: new Map(
    [...occurrences].map(([word, places]) => {
      const own = hidden.filter(({ definition }) => definition.name === word)
      const isOwn = ({ kind, line }: Occurrence) =>
        own.some(({ definition }) =>
          kind === "definition"
            ? definition.line <= line && line <= definition.endLine
            : kind === "binding" && definition.line === line
        )
      return [word, places.filter((place) => !isOwn(place))] as const
    })
  )
})

/** Source texts are stored as digests, because they are only compared. */
const digested = ({ inner, ...symbols }: FileSymbols): FileSymbols => ({
  ...symbols,
  definitions: symbols.definitions.map(withDigest),
  ...(inner === undefined ? {} : { inner: inner.map(withDigest) })
})

const withDigest = (definition: Definition): Definition => ({
  ...definition,
  shape: `${definition.shape.length}:${Hash.string(definition.shape)}`
})

/** Null if the packed value is damaged: a damaged cache must not fail a review. */
const unpacked = <A>(unpack: (packed: unknown) => A, packed: unknown): A | null =>
  Result.getOrElse(
    Result.try(() => unpack(packed)),
    () => null
  )

/** Without the fields that are unknown from statements alone. */
type Packed = readonly [length: number, ...imports: ReadonlyArray<Omit<ImportedName, "line" | "guarded">>]

const packImports = ({ imports, length }: FileImports): Packed => [
  length,
  ...imports.map(({ guarded: _, line: __, ...stated }) => stated)
]

const unpackImports = (packed: unknown): FileImports => {
  const [length, ...imports] = packed as Packed
  const isWhole = Number.isFinite(length) && imports.every(({ module }) => typeof module === "string")
  if (!isWhole) throw new TypeError("not packed imports")
  return { length, imports: imports.map((stated) => ({ ...stated, line: 0, guarded: false })), problem: null }
}

/** Finds the text that a row of the joined texts belongs to. */
const textAtRow = (texts: ReadonlyArray<string>): ((row: number) => number) => {
  const owners = texts.flatMap((text, at) => new Array<number>(text.split("\n").length - 1).fill(at))
  return (row) => owners[row] ?? texts.length - 1
}

/** For the person who waits. */
const countSymbols = ({ definitions }: FileSymbols) =>
  Effect.map(FileCounts, (counts) => {
    counts.files++
    counts.functions += definitions.filter(({ kind }) => kind === "function" || kind === "method").length
  })
