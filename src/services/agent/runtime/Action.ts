/**
 * Something an agent may do while it works: a name, what it is for, the shape of its arguments, and the work.
 *
 * Arguments are checked before the work begins, and a failure is an answer to the model, not to the caller.
 */
import type { Duration, Effect, Schema } from "effect"

/** What the model is told: the text it reads, already bounded, with a notice and a way to page where it was cut. */
export interface ActionAnswer {
  readonly text: string
  readonly isError: boolean
}

export interface Action<A = unknown, R = never> {
  /** `read_file`. */
  readonly name: string
  readonly description: string
  readonly input: Schema.Codec<A, unknown>
  /** Never fails: what went wrong is an answer with `isError`, in words that say the way out. */
  readonly act: (input: A) => Effect.Effect<ActionAnswer, never, R>
  /** Changes something outside of the agent: a turn in which it ran is not asked again. */
  readonly changesThings: boolean
  /** Of the work alone; waiting for a place does not count. */
  readonly timeout: Duration.Input
  /** How many of these may run at once in one agent. */
  readonly concurrency: number
  /** How often a call whose work timed out is tried again. */
  readonly retries: number
}
