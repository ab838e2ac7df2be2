/** A command that succeeded with an exit code other than 0, such as findings at or above `--fail-on`. */
import { Context, Data, type Exit } from "effect"

export class Outcome extends Data.TaggedError("Outcome")<{ readonly code: number }> {}

export interface Settling {
  exit: Exit.Exit<unknown, unknown> | null
  /** What an interrupted review leaves, and how to continue it; null for what is interrupted without a word. */
  left: string | null
}

/** The end of a command once its report is written. A later signal does not change it. */
export const Settled = Context.Reference<Settling>("dd/cli/Settled", {
  defaultValue: () => ({ exit: null, left: null })
})
