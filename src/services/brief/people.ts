/** Who knows the changed lines. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Person } from "../../domain/brief/History.ts"
import type { Change } from "../../domain/change/Change.ts"

export const peopleOf = Effect.fn("brief.peopleOf")(function* (_change: Change) {
  yield* Effect.void
  const nothing: Found<ReadonlyArray<Person>> = { found: [], omitted: [] }
  return nothing
})
