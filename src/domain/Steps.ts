/**
 * A long pure computation, written as a generator that yields where others may have a turn: after each file, each word.
 */
import { Effect } from "effect"

export type Steps<A> = Generator<void, A, void>

/** The whole computation at once. */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The scheduler is asked between the steps, so that signals are noticed. */
export const inSteps = <A>(steps: () => Steps<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    const started = steps()
    for (;;) {
      const step = yield* Effect.sync(() => started.next())
      if (step.done === true) return step.value
    }
  })
