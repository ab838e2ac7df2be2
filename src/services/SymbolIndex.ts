/**
 * What the files of both sides define, import and use, parsed when somebody asks and remembered for the run.
 *
 * Null stands for a file whose symbols cannot be known: absent, not text, too large, of another language.
 */
import { Context, Effect, Layer, Result } from "effect"
import { importStatements } from "../domain/Importers.ts"
import type { FileSymbols, ImportedName, Occurrence } from "../domain/Symbol.ts"
import { grammarOf, type SyntaxNode } from "../domain/Syntax.ts"
import { languageOf, occurrencesOf } from "../rules/symbols/languages.ts"
import { Sources } from "./Sources.ts"
import { SyntaxParser } from "./SyntaxParser.ts"

export type Which = "base" | "head"

/** A file of the head side, as one that uses others. */
export interface Uses {
  readonly imports: ReadonlyArray<ImportedName>
  /** Places of each word that was asked for. */
  readonly occurrences: ReadonlyMap<string, ReadonlyArray<Occurrence>>
}

export class SymbolIndex extends Context.Service<
  SymbolIndex,
  {
    readonly symbols: (which: Which, path: string) => Effect.Effect<FileSymbols | null>
    /** What a head-side file imports, from its import statements alone: cheap, and without lines to rely on. */
    readonly imports: (path: string) => Effect.Effect<ReadonlyArray<ImportedName>>
    /** A head-side file's imports with their lines, and where these words stand in its code. */
    readonly uses: (path: string, words: ReadonlyArray<string>) => Effect.Effect<Uses>
  }
>()("dd/services/SymbolIndex") {
  static readonly layer = Layer.effect(
    SymbolIndex,
    Effect.gen(function* () {
      const sources = yield* Sources
      const parser = yield* SyntaxParser
      const remembered = new Map<string, FileSymbols | null>()
      const importsOf = new Map<string, ReadonlyArray<ImportedName>>()

      /** Asks a pure question of the tree while it is alive. */
      const askTree = <A>(path: string, text: string, ask: (root: SyntaxNode) => A) =>
        Effect.gen(function* () {
          const grammar = grammarOf(path)
          if (grammar === null) return null
          const parsed = yield* Effect.result(parser.parse(grammar, text))
          return Result.isSuccess(parsed) ? ask(parsed.success.root) : null
        }).pipe(Effect.scoped)

      const textOf = (which: Which, path: string) =>
        Effect.map(sources[which](path), (source) => (source._tag === "Text" ? source : null))

      const symbols = Effect.fn("SymbolIndex.symbols")(function* (which: Which, path: string) {
        const key = `${which}:${path}`
        const already = remembered.get(key)
        if (already !== undefined) return already
        const language = languageOf(path)
        const source = language === null ? null : yield* textOf(which, path)
        const found =
          language === null || source === null
            ? null
            : yield* askTree(path, source.text, (root) => language.symbols(root, path))
        remembered.set(key, found)
        return found
      })

      const imports = Effect.fn("SymbolIndex.imports")(function* (path: string) {
        const already = importsOf.get(path)
        if (already !== undefined) return already
        const language = languageOf(path)
        const source = language === null ? null : yield* textOf("head", path)
        const found =
          language === null || source === null
            ? null
            : yield* askTree(path, importStatements(path, source.lines).join("\n"), language.imports)
        importsOf.set(path, found ?? [])
        return found ?? []
      })

      const uses = Effect.fn("SymbolIndex.uses")(function* (path: string, words: ReadonlyArray<string>) {
        const language = languageOf(path)
        const source = language === null ? null : yield* textOf("head", path)
        const nothing: Uses = { imports: [], occurrences: new Map() }
        if (language === null || source === null) return nothing
        const found = yield* askTree(
          path,
          source.text,
          (root): Uses => ({
            imports: language.imports(root),
            occurrences: new Map(words.map((word) => [word, occurrencesOf(language, root, source.text, word)]))
          })
        )
        return found ?? nothing
      })

      return SymbolIndex.of({ symbols, imports, uses })
    })
  )
}
