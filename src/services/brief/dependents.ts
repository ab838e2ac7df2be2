/** Who depends on what the change alters. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange } from "../../domain/brief/Definitions.ts"
import type { Dependent } from "../../domain/brief/Dependent.ts"
import type { Change } from "../../domain/change/Change.ts"

export const dependentsOf = Effect.fn("brief.dependentsOf")(function* (
  _change: Change,
  _definitions: ReadonlyArray<DefinitionChange>
) {
  yield* Effect.void
  const nothing: Found<ReadonlyArray<Dependent>> = { found: [], omitted: [] }
  return nothing
})
