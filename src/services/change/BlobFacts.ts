/**
 * Facts read from the text of a blob, kept between runs by its id.
 *
 * Never fails and never returns the facts of another text; it affects only the duration of a review. A port:
 * `layers/change/facts/Sqlite.ts` stores them in the user's directory, `None.ts` stores nothing.
 */
import { Context, type Effect } from "effect"
import type { Grammar } from "../../domain/change/Grammar.ts"

/** What was read: import statements, all symbols, uses of some words, a filter of all words, earlier commits, words with counts, tokens, or the text redacted. */
export type Reading = "imports" | "symbols" | "uses" | "words" | "history" | "identifiers" | "tokens" | "redacted"

export interface FactKey {
  /** Null for facts that do not depend on the grammar. */
  readonly grammar: Grammar | null
  /** The object name of the text's blob; of a history, a name that no object has. Of uses, their words follow. */
  readonly blob: string
}

export class BlobFacts extends Context.Service<
  BlobFacts,
  {
    /** A value for each key, null if there is none; values are returned as they were stored. */
    readonly get: (reading: Reading, keys: ReadonlyArray<FactKey>) => Effect.Effect<ReadonlyArray<unknown>>
    /** Stores a value for later runs; it is written, at the latest, when the cache's scope closes. */
    readonly put: (reading: Reading, key: FactKey, value: unknown) => Effect.Effect<void>
  }
>()("dd/services/change/BlobFacts") {}
