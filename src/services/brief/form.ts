/** Which hunks change only the form of the code. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Form } from "../../domain/brief/Form.ts"
import type { Change } from "../../domain/change/Change.ts"

export const formOf = Effect.fn("brief.formOf")(function* (_change: Change) {
  yield* Effect.void
  const nothing: Found<Form> = { found: { lines: 0, formal: 0, hunks: [], order: [] }, omitted: [] }
  return nothing
})
