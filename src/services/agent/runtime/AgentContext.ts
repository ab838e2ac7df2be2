/**
 * The subject of a conversation with a model: its type and arguments, its prompts and actions, and its hooks between
 * turns. A context has one run at a time; its memory outlives the run.
 */
import type { Effect, Schema, Scope, Stream } from "effect"
import type { AgentRef, StopReason, TextBlocks } from "../../../domain/agent/AgentRef.ts"
import type { JsonSchema, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import type { ModelError } from "../Model.ts"
import type { Action, ActionAnswer } from "./Action.ts"
import type { ModelRefused, NoProgress } from "./RunFailure.ts"

/** A typed failure of a context's own code. It ends the run. */
export interface HookFault {
  readonly _tag: string
  readonly message: string
}

/** A structured answer, which the model submits as the call of an action. */
export interface Output<A = unknown> {
  /** `submit_review`. */
  readonly name: string
  readonly description: string
  /** The schema that the model receives. */
  readonly input: JsonSchema
  readonly schema: Schema.Codec<A, unknown>
  /** Awaited before the step ends. If the answer has `isError`, the model can correct its output. */
  readonly handle: (value: A) => Effect.Effect<ActionAnswer>
  /** Ends the run; the last permitted step must submit it. */
  readonly isTerminal: boolean
  /** Its handler has effects outside the agent: a turn in which it ran is not retried. */
  readonly changesThings: boolean
}

/** The input of the model for one step. */
export interface Prepared {
  /** "": the default model of the layer. */
  readonly model: string
  readonly effort: Effort | null
  readonly maxTokens: number
  /** Of the answer: with less, a turn is not worth its cost. */
  readonly leastTokens?: number
  /** Most stable first. */
  readonly system: ReadonlyArray<string>
  /** Always in the same order, because any difference invalidates the provider's cache. */
  readonly actions: ReadonlyArray<Action>
  readonly outputs: ReadonlyArray<Output>
  /** The schema of an answer without calls. */
  readonly answer: JsonSchema | null
  /** The word of the fences around results of tools, as in the prompt; null: without fences. */
  readonly nonce: string | null
}

/** One context while it is open. */
export interface AgentSession {
  /** Turns with the model. */
  readonly maxSteps: number
  /** Input and output of all turns of a run. */
  readonly budgetTokens: number
  readonly prepare: Effect.Effect<Prepared>
  /** Not begun if the limit of the cost would then leave too little for the other agents. */
  readonly isOptional?: boolean
  /** A complete block of text. Awaited before the step ends. */
  readonly onText?: (text: string) => Effect.Effect<void>
  /** Saves the state of the context, after every step and at the end. */
  readonly save?: Effect.Effect<void, HookFault>
  readonly onStep?: (step: number) => Effect.Effect<void, HookFault>
  readonly onRun?: (end: RunEnd) => Effect.Effect<void, HookFault>
  /** Text that makes the model continue when it has nothing more to do, or null. */
  readonly shouldContinue?: Effect.Effect<string | null, HookFault>
  /** Called when a turn has failed after all retries. `again` uses up a step. */
  readonly onError?: (error: ModelError | ModelRefused | NoProgress) => Effect.Effect<"again" | "fail">
}

export interface AgentContext<Args> {
  readonly type: string
  readonly args: Schema.Codec<Args, unknown>
  /** Distinguishes contexts of one type; without it there is one. */
  readonly key?: (args: Args) => string
  /** Called once, at the first input; its scope is closed when the context is evicted. */
  readonly open: (args: Args) => Effect.Effect<AgentSession, never, Scope.Scope>
}

export interface Input<A> {
  readonly type: string
  readonly schema: Schema.Codec<A, unknown>
  readonly words: (value: A) => TextBlocks
}

export interface InputSource<Args, A> {
  readonly input: Input<A>
  readonly context: AgentContext<Args>
  readonly arrivals: Stream.Stream<{ readonly args: unknown; readonly data: unknown }>
}

/** The end of a run that did not fail. */
export interface RunEnd {
  readonly stopReason: Extract<StopReason, "done" | "step limit" | "budget" | "no progress">
  /** All refs of the run, in causal order. */
  readonly chain: ReadonlyArray<AgentRef>
  readonly steps: number
  readonly text: string
  /** The terminal output that was submitted. */
  readonly answer: { readonly name: string; readonly value: Schema.Json } | null
}

/** For watchers: refs, pieces of refs as they arrive (with the id of the ref), and the usage of each turn. */
export type ContextEvent =
  | {
      readonly _tag: "Piece"
      readonly at: string
      readonly id: string
      readonly of: "Thought" | "Output" | "Call"
      readonly text: string
    }
  | { readonly _tag: "Ref"; readonly ref: AgentRef }
  /**
   * Sent before a turn, in addition to tool results. `continues`: it follows messages of earlier runs of the context.
   */
  | {
      readonly _tag: "Sent"
      readonly at: string
      readonly system: ReadonlyArray<string>
      readonly words: ReadonlyArray<string>
      readonly continues: boolean
    }
  /** The usage of a turn so far, at each report. `usage` null: a turn has begun and its usage is not known yet. */
  | {
      readonly _tag: "Used"
      readonly at: string
      readonly messageId: string
      readonly model: string
      readonly usage: ModelUsage | null
    }
