/** A command that succeeded with an exit code other than 0, such as findings at or above `--fail-on`. */
import { Context, Data, Effect, Exit } from "effect"

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

export type Restore = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Runs work that a signal can interrupt only inside `restore`; after that a signal does not affect how it ends. Work that
 * returns more than null is not the end.
 */
export const settled = <A, E, R>(work: (restore: Restore) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settled, (kept) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.onExit(Effect.scoped(work(restore)), (exit) =>
        Effect.sync(() => {
          if (!Exit.hasInterrupts(exit) && !(Exit.isSuccess(exit) && exit.value !== null)) kept.exit = exit
        })
      )
    )
  )
