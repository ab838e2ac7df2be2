/**
 * A step of a flow: a name, when it runs, and what it does to the state it is handed.
 *
 * The state travels through the steps as a value: a step gets it and gives it back, changed or not.
 * A step this build does not have is an `Unavailable`: listed, reported when a flow reaches it, never run.
 */
import type { Effect } from "effect"

/** What a list of steps can tell without running one. */
export interface StepOutline {
  readonly name: string
  /** The configuration phase whose backend and model the step uses. */
  readonly phase: string
  /** When it runs, in words that follow "runs"; "" means always. */
  readonly when: string
  /** `dd`, or the extension file the step comes from. */
  readonly origin: string
}

/** What a step answers. */
export type Advance<S> =
  | { readonly _tag: "Continue"; readonly state: S; readonly summary: string }
  /** Ends the flow with an exit code. */
  | { readonly _tag: "Stop"; readonly state: S; readonly summary: string; readonly code: number }
  /** Ends the loop group the step is in; outside one it is as good as `Continue`. */
  | { readonly _tag: "BreakLoop"; readonly state: S; readonly summary: string }

/** `summary` is one short clause for the progress line: "3 stacks, 12 findings". */
export const proceed = <S>(state: S, summary = ""): Advance<S> => ({ _tag: "Continue", state, summary })
export const stop = <S>(state: S, code: number, summary = ""): Advance<S> => ({ _tag: "Stop", state, summary, code })
export const breakLoop = <S>(state: S, summary = ""): Advance<S> => ({ _tag: "BreakLoop", state, summary })

/** What a step of this build brings besides its outline. */
export interface StepBody<S, E, R> {
  /** Pure; asked when the flow reaches the step. Absent: always. */
  readonly enabled?: (state: S) => boolean
  readonly run: (state: S) => Effect.Effect<Advance<S>, E, R>
}

export interface Step<S, E = never, R = never> extends StepOutline, StepBody<S, E, R> {
  readonly _tag: "Step"
}

/** A step that is part of the flow and not of this build. */
export interface Unavailable extends StepOutline {
  readonly _tag: "Unavailable"
  /** Why, in words that follow "not in this build: ". */
  readonly reason: string
}

/** Where a step or a mark of its absence is enough. */
export type Outline = (StepOutline & { readonly _tag: "Step" }) | Unavailable

export const step = <S, E, R>(
  outline: Partial<StepOutline> & { readonly name: string },
  body: StepBody<S, E, R>
): Step<S, E, R> => ({ phase: outline.name, when: "", origin: "dd", ...outline, ...body, _tag: "Step" })
