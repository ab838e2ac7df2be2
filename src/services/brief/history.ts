/** What history says of the changed lines. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { PastChange } from "../../domain/brief/History.ts"
import type { Change } from "../../domain/change/Change.ts"

export const historyOf = Effect.fn("brief.historyOf")(function* (_change: Change) {
  yield* Effect.void
  const nothing: Found<ReadonlyArray<PastChange>> = { found: [], omitted: [] }
  return nothing
})
