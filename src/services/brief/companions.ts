/** Files that usually change with the changed ones. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Companion } from "../../domain/brief/Companion.ts"
import type { Change } from "../../domain/change/Change.ts"

export const companionsOf = Effect.fn("brief.companionsOf")(function* (_change: Change) {
  yield* Effect.void
  const nothing: Found<ReadonlyArray<Companion>> = { found: [], omitted: [] }
  return nothing
})
