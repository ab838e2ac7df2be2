/** How a command ends with a code other than 0 when it did what it was asked: `findings at or above --fail-on`. */
import { Context, Data, type Exit } from "effect"

export class Outcome extends Data.TaggedError("Outcome")<{ readonly code: number }> {}

export interface Settling {
  exit: Exit.Exit<unknown, unknown> | null
}

/** Where a command leaves how it ended, once its answer is out: a signal that comes later changes nothing. */
export const Settled = Context.Reference<Settling>("dd/cli/Settled", {
  defaultValue: () => ({ exit: null })
})
