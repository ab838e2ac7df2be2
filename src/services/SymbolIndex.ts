/**
 * What the files of both sides define, import and use, parsed when somebody asks and remembered for the run.
 *
 * Null stands for a file whose symbols cannot be known: absent, not text, too large, of another language.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { DiffFile } from "../domain/Diff.ts"
import { importStatements } from "../domain/Importers.ts"
import type { FileSymbols, ImportedName, Occurrence } from "../domain/Symbol.ts"
import { grammarOf, type SyntaxNode } from "../domain/Syntax.ts"
import { languageOf, occurrencesOf } from "../rules/symbols/languages.ts"
import { Sources } from "./Sources.ts"
import { type Kin, type LineEdit, SyntaxParser } from "./SyntaxParser.ts"

/** A file of the head side, as one that uses others. */
export interface Uses {
  readonly imports: ReadonlyArray<ImportedName>
  /** Places of each word that was asked for. */
  readonly occurrences: ReadonlyMap<string, ReadonlyArray<Occurrence>>
}

export class SymbolIndex extends Context.Service<
  SymbolIndex,
  {
    /** The head side's file. */
    readonly symbols: (path: string) => Effect.Effect<FileSymbols | null>
    /** A changed file before the change. */
    readonly symbolsBefore: (file: DiffFile) => Effect.Effect<FileSymbols | null>
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
      const askTree = <A>(path: string, text: string, ask: (root: SyntaxNode) => A, kin?: Kin) =>
        Effect.gen(function* () {
          const grammar = grammarOf(path)
          if (grammar === null) return null
          const parsed = yield* Effect.result(parser.parse(grammar, text, kin))
          return Result.isSuccess(parsed) ? ask(parsed.success.root) : null
        }).pipe(Effect.scoped)

      const textOf = (which: "base" | "head", path: string) =>
        Effect.map(sources[which](path), (source) => (source._tag === "Text" ? source : null))

      const read = Effect.fnUntraced(function* (which: "base" | "head", path: string, kin?: Kin) {
        const language = languageOf(path)
        const source = language === null ? null : yield* textOf(which, path)
        if (language === null || source === null) return null
        return yield* askTree(path, source.text, (root) => language.symbols(root, path), kin)
      })

      const symbols = Effect.fn("SymbolIndex.symbols")(function* (path: string) {
        const already = remembered.get(path)
        if (already !== undefined) return already
        const found = yield* read("head", path)
        remembered.set(path, found)
        return found
      })

      const symbolsBefore = Effect.fn("SymbolIndex.symbolsBefore")(function* (file: DiffFile) {
        const { newPath, oldPath } = file
        if (oldPath === null) return null
        const head = newPath === null ? null : yield* textOf("head", newPath)
        return yield* read("base", oldPath, head === null ? undefined : { text: head.text, edits: undoing(file) })
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

      return SymbolIndex.of({ symbols, symbolsBefore, imports, uses })
    })
  )
}

/** What makes the base side of the head side, by lines. */
const undoing = ({ hunks }: DiffFile): ReadonlyArray<LineEdit> =>
  hunks.flatMap(({ lines, newCount, newStart }) => {
    const edits: Array<{ row: number; removed: number; added: number }> = []
    // An empty range is named by the line above it.
    let row = newCount === 0 ? newStart : newStart - 1
    let open = false
    for (const { kind } of lines) {
      if (kind === "context") {
        row++
        open = false
        continue
      }
      if (!open) edits.push({ row, removed: 0, added: 0 })
      open = true
      const edit = edits[edits.length - 1]
      if (edit === undefined) continue
      if (kind === "deleted") edit.added++
      else {
        edit.removed++
        row++
      }
    }
    return edits
  })
