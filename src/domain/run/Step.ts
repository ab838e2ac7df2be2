/**
 * A step of a flow: its name, when it runs, and how it changes the state.
 *
 * The state is immutable: a step gets it and returns the next one. A step that is not in this build is `Unavailable`: it is
 * listed, reported when a flow reaches it, and never run.
 */
import { Effect } from "effect"

/** The description of a step for lists. */
export interface StepOutline {
  readonly name: string
  /** The configuration phase whose backend and model the step uses. */
  readonly phase: string
  /** The condition, as words that follow "runs"; "": always. */
  readonly when: string
  /** `dd`, or the extension file the step comes from. */
  readonly origin: string
}

/** The result of a step. */
export type Advance<S> =
  | { readonly _tag: "Continue"; readonly state: S; readonly summary: string }
  /** Ends the flow with an exit code. */
  | { readonly _tag: "Stop"; readonly state: S; readonly summary: string; readonly code: number }
  /** Ends the loop group of the step; outside of a loop group it equals `Continue`. */
  | { readonly _tag: "BreakLoop"; readonly state: S; readonly summary: string }

/** `summary` is a short phrase for the progress line: "3 stacks, 12 findings". */
export const proceed = <S>(state: S, summary = ""): Advance<S> => ({ _tag: "Continue", state, summary })
export const stop = <S>(state: S, code: number, summary = ""): Advance<S> => ({ _tag: "Stop", state, summary, code })
export const breakLoop = <S>(state: S, summary = ""): Advance<S> => ({ _tag: "BreakLoop", state, summary })

/** The implementation of a step. */
export interface StepBody<S, E, R> {
  /** Pure; called when the flow reaches the step. Absent: always enabled. */
  readonly enabled?: (state: S) => boolean
  readonly run: (state: S) => Effect.Effect<Advance<S>, E, R>
  /** `run` in two parts: work that changes nothing, and what to do with its result. */
  readonly work?: Work<S, E, R>
  /** The step at whose side this one works, if it follows directly. */
  readonly beside?: string
}

export type Work<S, E, R> = (state: S) => Effect.Effect<(state: S) => Effect.Effect<Advance<S>, E, R>, E, R>

/** A body that can work beside another one. */
export interface PartedBody<S, E, R> extends StepBody<S, E, R> {
  readonly work: Work<S, E, R>
}

export const inParts = <S, E, R>(work: Work<S, E, R>): PartedBody<S, E, R> => ({
  work,
  run: (state) => Effect.flatMap(work(state), (finish) => finish(state))
})

export interface Step<S, E = never, R = never> extends StepOutline, StepBody<S, E, R> {
  readonly _tag: "Step"
}

/** A step that a flow names and this build does not have. */
export interface Unavailable extends StepOutline {
  readonly _tag: "Unavailable"
  /** The reason, as words that follow "not in this build: ". */
  readonly reason: string
}

/** The description of a step, available or not. */
export type Outline = (StepOutline & { readonly _tag: "Step" }) | Unavailable

export const step = <S, E, R>(
  outline: Partial<StepOutline> & { readonly name: string },
  body: StepBody<S, E, R>
): Step<S, E, R> => ({ phase: outline.name, when: "", origin: "dd", ...outline, ...body, _tag: "Step" })

/** Several bodies as one step: those that are not enabled are left out, and one that stops or breaks the loop is the last. */
export const inOrder = <S, E, R>(...bodies: ReadonlyArray<StepBody<S, E, R>>): StepBody<S, E, R> => ({
  enabled: (state) => bodies.some((body) => isEnabled(body, state)),
  run: Effect.fnUntraced(function* (state: S) {
    let advance = proceed(state)
    for (const body of bodies) {
      if (!isEnabled(body, advance.state)) continue
      const next = yield* body.run(advance.state)
      advance = next.summary === "" ? { ...next, summary: advance.summary } : next
      if (advance._tag !== "Continue") break
    }
    return advance
  })
})

export const isEnabled = <S, E, R>({ enabled }: StepBody<S, E, R>, state: S): boolean => enabled?.(state) ?? true
