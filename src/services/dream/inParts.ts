/** Runs a computation in parts: between two of them, other fibers run, and an interruption stops it. */
import { Effect } from "effect"

export const inParts = Effect.fnUntraced(function* <A>(parts: Generator<void, A>) {
  for (;;) {
    const next = parts.next()
    if (next.done === true) return next.value
    yield* Effect.yieldNow
  }
})
