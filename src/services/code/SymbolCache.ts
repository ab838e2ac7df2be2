/**
 * What was read from a file's text before, kept between runs by the name of its blob.
 *
 * Never fails and never answers for another text; whether it remembers changes only how long a review takes. A port:
 * `layers/code/symbols/Sqlite.ts` keeps it in the user's directory, `None.ts` forgets.
 */
import { Context, type Effect } from "effect"
import type { Grammar } from "../../domain/change/Grammar.ts"

/** What kind of reading: import statements alone, or all symbols. */
export type Reading = "imports" | "symbols"

export interface FactKey {
  readonly grammar: Grammar
  /** Object name of the text's blob. */
  readonly blob: string
}

export class SymbolCache extends Context.Service<
  SymbolCache,
  {
    /** An answer for each key, null where there is none; values are as they were put. */
    readonly get: (reading: Reading, keys: ReadonlyArray<FactKey>) => Effect.Effect<ReadonlyArray<unknown>>
    /** Kept for later runs; written, at the latest, when the cache's scope closes. */
    readonly put: (reading: Reading, key: FactKey, value: unknown) => Effect.Effect<void>
  }
>()("dd/services/code/SymbolCache") {}
