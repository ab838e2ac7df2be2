/** A long pure computation as a generator that yields after each file or word, so that other fibers can run. */
import { Effect } from "effect"

export type Steps<A> = Generator<void, A, void>

/** Runs the whole computation at once. */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs the steps in order and yields to the scheduler between them, so that signals are handled. */
export const inSteps = <A>(steps: () => Steps<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    const started = steps()
    for (;;) {
      const step = yield* Effect.sync(() => started.next())
      if (step.done === true) return step.value
    }
  })
