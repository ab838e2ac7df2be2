/** The tests that reach the change. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange } from "../../domain/brief/Definitions.ts"
import type { Tests } from "../../domain/brief/Tests.ts"
import type { Change } from "../../domain/change/Change.ts"

export const testsOf = Effect.fn("brief.testsOf")(function* (
  _change: Change,
  _definitions: ReadonlyArray<DefinitionChange>
) {
  yield* Effect.void
  const nothing: Found<Tests> = { found: { files: [], commands: [], runner: null, untested: [] }, omitted: [] }
  return nothing
})
