/**
 * Symbols read from the text of a file, kept between runs by the id of its blob.
 *
 * Never fails and never returns the symbols of another text; it affects only the duration of a review. A port:
 * `layers/code/symbols/Sqlite.ts` stores it in the user's directory, `None.ts` stores nothing.
 */
import { Context, type Effect } from "effect"
import type { Grammar } from "../../domain/change/Grammar.ts"

/** What was read: only import statements, or all symbols. */
export type Reading = "imports" | "symbols"

export interface FactKey {
  readonly grammar: Grammar
  /** The object name of the text's blob. */
  readonly blob: string
}

export class SymbolCache extends Context.Service<
  SymbolCache,
  {
    /** A value for each key, null if there is none; values are returned as they were stored. */
    readonly get: (reading: Reading, keys: ReadonlyArray<FactKey>) => Effect.Effect<ReadonlyArray<unknown>>
    /** Stores a value for later runs; it is written, at the latest, when the cache's scope closes. */
    readonly put: (reading: Reading, key: FactKey, value: unknown) => Effect.Effect<void>
  }
>()("dd/services/code/SymbolCache") {}
