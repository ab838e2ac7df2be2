/** What changed, as a program. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange, DependencyChange, ValueChange } from "../../domain/brief/Definitions.ts"
import type { Change } from "../../domain/change/Change.ts"

export interface Definitions {
  readonly definitions: ReadonlyArray<DefinitionChange>
  readonly values: ReadonlyArray<ValueChange>
  readonly dependencies: ReadonlyArray<DependencyChange>
}

export const definitionsOf = Effect.fn("brief.definitionsOf")(function* (_change: Change) {
  yield* Effect.void
  const nothing: Found<Definitions> = { found: { definitions: [], values: [], dependencies: [] }, omitted: [] }
  return nothing
})
