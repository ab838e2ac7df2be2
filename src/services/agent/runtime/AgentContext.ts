/**
 * What a conversation with a model is about: a kind of thing and the arguments that tell one of them from another, what
 * the model is told of it, what it may do, and what happens between its turns.
 *
 * A context has one run at a time, and its memory outlives the run. Source: reference agent-lifecycle §1.4.
 */
import type { Effect, Schema, Scope, Stream } from "effect"
import type { AgentRef, StopReason, TextBlocks } from "../../../domain/agent/AgentRef.ts"
import type { JsonSchema, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import type { ModelError } from "../Model.ts"
import type { Action, ActionAnswer } from "./Action.ts"
import type { ModelRefused } from "./RunFailure.ts"

/** Any typed failure of a context's own code; it ends the run, said as what it is. */
export interface HookFault {
  readonly _tag: string
  readonly message: string
}

/** A structured answer: the model hands it in as it calls an action. */
export interface Output<A = unknown> {
  /** `submit_review`. */
  readonly name: string
  readonly description: string
  /** Its shape, as the model is told it. */
  readonly input: JsonSchema
  readonly schema: Schema.Codec<A, unknown>
  /** Awaited before the step ends. An answer with `isError` sends the model back to mend it. */
  readonly handle: (value: A) => Effect.Effect<ActionAnswer>
  /** Handing it in ends the run; the last permitted step must. */
  readonly isTerminal: boolean
  /** Its handler changes something outside of the agent: a turn in which it ran is not asked again. */
  readonly changesThings: boolean
}

/** What the model is given for one step. */
export interface Prepared {
  /** "" for the one the layer was made with. */
  readonly model: string
  readonly effort: Effort | null
  readonly maxTokens: number
  /** Most stable first. */
  readonly system: ReadonlyArray<string>
  /** In an order that stays: another order, or another action, makes a cached prefix worthless. */
  readonly actions: ReadonlyArray<Action>
  readonly outputs: ReadonlyArray<Output>
  /** The shape of the plain answer, where nothing is called. */
  readonly answer: JsonSchema | null
}

/** One context while it is open. What its actions need to know they are given when the session is made. */
export interface AgentSession {
  /** Turns with the model; exact. */
  readonly maxSteps: number
  /** Of all turns of a run together, what was sent and what was said. */
  readonly budgetTokens: number
  /** Before every step. */
  readonly prepare: Effect.Effect<Prepared>
  /** Plain words, whole. Awaited before the step ends. */
  readonly onText?: (text: string) => Effect.Effect<void>
  /** Keeps what the context itself has to remember: after every step and at the end. */
  readonly save?: Effect.Effect<void, HookFault>
  readonly onStep?: (step: number) => Effect.Effect<void, HookFault>
  readonly onRun?: (end: RunEnd) => Effect.Effect<void, HookFault>
  /** Asked where the model has nothing more to do: words that send it on, or null. */
  readonly shouldContinue?: Effect.Effect<string | null, HookFault>
  /** Asked where a turn failed for good. `again` takes one of the steps. */
  readonly onError?: (error: ModelError | ModelRefused) => Effect.Effect<"again" | "fail">
}

export interface AgentContext<Args> {
  readonly type: string
  readonly args: Schema.Codec<Args, unknown>
  /** Tells contexts of one type apart; without it there is one. */
  readonly key?: (args: Args) => string
  /** Once for each context, when something is first sent to it; closed when the context is forgotten. */
  readonly open: (args: Args) => Effect.Effect<AgentSession, never, Scope.Scope>
}

/** Something that is sent to a context. */
export interface Input<A> {
  readonly type: string
  readonly schema: Schema.Codec<A, unknown>
  /** What the model reads. */
  readonly words: (value: A) => TextBlocks
}

/** Where inputs come from by themselves. Listening ends with the scope it was begun in. */
export interface InputSource<Args, A> {
  readonly input: Input<A>
  readonly context: AgentContext<Args>
  readonly arrivals: Stream.Stream<{ readonly args: unknown; readonly data: unknown }>
}

/** How a run ended that did not fail. */
export interface RunEnd {
  readonly stopReason: Extract<StopReason, "done" | "step limit" | "budget">
  /** Everything that happened, each once, in causal order. */
  readonly chain: ReadonlyArray<AgentRef>
  readonly steps: number
  /** The words of the last turn. */
  readonly text: string
  /** The terminal output that was handed in. */
  readonly answer: { readonly name: string; readonly value: Schema.Json } | null
}

/** What those who watch see: pieces as they come, under the id of the ref they will be, refs, and what each turn took. */
export type ContextEvent =
  | {
      readonly _tag: "Piece"
      readonly at: string
      readonly id: string
      readonly of: "Thought" | "Output" | "Call"
      readonly text: string
    }
  | { readonly _tag: "Ref"; readonly ref: AgentRef }
  /** What is sent before a turn, besides tool results. `continues`: it follows the messages of earlier runs of the context. */
  | {
      readonly _tag: "Sent"
      readonly at: string
      readonly system: ReadonlyArray<string>
      readonly words: ReadonlyArray<string>
      readonly continues: boolean
    }
  /**
   * The usage of a turn so far, each time it is reported, because turns that are cut off are paid for too. Null and "": a
   * turn has begun and its usage is not known yet.
   */
  | {
      readonly _tag: "Used"
      readonly at: string
      readonly messageId: string
      readonly model: string
      readonly usage: ModelUsage | null
    }
