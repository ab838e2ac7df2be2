/** How much there is to read. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Form } from "../../domain/brief/Form.ts"
import type { Size } from "../../domain/brief/Size.ts"
import type { Change } from "../../domain/change/Change.ts"

export const sizeOf = Effect.fn("brief.sizeOf")(function* (_change: Change, _form: Form) {
  yield* Effect.void
  const nothing: Found<Size> = {
    found: { files: 0, added: 0, deleted: 0, reading: 0, minutes: null, clusters: [] },
    omitted: []
  }
  return nothing
})
