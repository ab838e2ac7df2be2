/**
 * One turn with a language model, in words no provider owns: what it is sent and what it says, in order.
 *
 * Every model port (`services/agent/Model.ts`) takes the first and streams the second; the agent runtime knows nothing else.
 * Source: reference agent-lifecycle §8.1.
 */

import type { Schema } from "effect"
import type { Effort } from "../run/BackendChoice.ts"

/** A JSON Schema, as providers take it. */
export type JsonSchema = { readonly [key: string]: Schema.Json }

/** Something the model may call. Names match `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
}

export interface CallPart {
  readonly _tag: "Call"
  readonly id: string
  readonly name: string
  readonly input: Schema.Json
}

/** What the model said in an earlier turn. */
export interface AssistantMessage {
  readonly role: "model"
  /** Text and calls, in order; thinking is only in `verbatim`. */
  readonly parts: ReadonlyArray<{ readonly _tag: "Text"; readonly text: string } | CallPart>
  /**
   * The turn as its provider wrote it (`Ended.verbatim`), signed thinking included: sent back as it is to the same
   * provider, never taken apart. Null where there is nothing the parts do not say.
   */
  readonly verbatim: Schema.Json | null
}

/** What the model is told. Results answer the calls of the message before, all of them, before any text. */
export interface UserMessage {
  readonly role: "user"
  readonly parts: ReadonlyArray<
    | { readonly _tag: "Result"; readonly callId: string; readonly output: string; readonly isError: boolean }
    /** `lasting`: the same in later requests of the run, so a prefix that ends here is worth caching. */
    | { readonly _tag: "Text"; readonly text: string; readonly lasting: boolean }
  >
}

export type ModelMessage = AssistantMessage | UserMessage

export interface ModelRequest {
  readonly model: string
  /** Most stable first; each is a place where a cached prefix may end. */
  readonly system: ReadonlyArray<string>
  /** In an order that never changes within a run. */
  readonly tools: ReadonlyArray<ToolSpec>
  /** Begins and ends with the user's; append-only within a run. */
  readonly messages: ReadonlyArray<ModelMessage>
  /** `none`: it must answer now. A name: it must call that tool. */
  readonly choice: "auto" | "none" | { readonly tool: string }
  /** The answer as JSON of this shape, where the provider can hold a model to it; null: words. */
  readonly answer: JsonSchema | null
  readonly maxTokens: number
  readonly effort: Effort | null
}

export const endReasons = ["done", "calls", "length", "refusal", "pause", "filtered"] as const
/**
 * Why a turn ended. `done`: it has nothing to add. `calls`: it waits for results. `length`: cut by `maxTokens` or the
 * context; its last call may be cut. `pause`: send the same again, with the turn added. `filtered`: withheld by a filter.
 */
export type EndReason = (typeof endReasons)[number]

export interface ModelUsage {
  /** All of the input, cached included. */
  readonly promptTokens: number
  /** A subset of `promptTokens`; null when it was not told. */
  readonly cachedTokens: number | null
  /** Another part of `promptTokens`, which some providers charge more for; absent where nothing was written. */
  readonly cacheWrittenTokens?: number
  readonly completionTokens: number
  /** A subset of `completionTokens`. */
  readonly reasoningTokens: number | null
  /** What the provider itself charges, where it says so. */
  readonly costUsd: number | null
}

/**
 * What a model says, as it says it. Begins with `Began` and ends with one `Ended`, or fails; ids of calls are the
 * provider's own, and unique within the run.
 */
export type ModelEvent =
  | { readonly _tag: "Began"; readonly messageId: string; readonly model: string }
  | { readonly _tag: "Thinking"; readonly text: string }
  /** A block of thinking is whole; one that was withheld ends without text. */
  | { readonly _tag: "ThinkingEnded" }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "CallBegan"; readonly id: string; readonly name: string }
  | { readonly _tag: "CallArguments"; readonly id: string; readonly text: string }
  /** The arguments whole, as they were written; `truncated` ones are never executed. */
  | {
      readonly _tag: "CallEnded"
      readonly id: string
      readonly name: string
      readonly arguments: string
      readonly truncated: boolean
    }
  /** Of the turn so far; a later one replaces an earlier one. */
  | { readonly _tag: "Used"; readonly usage: ModelUsage }
  | {
      readonly _tag: "Ended"
      readonly reason: EndReason
      /** In the provider's own word: `end_turn`, `max_tokens`. */
      readonly stopReason: string
      readonly verbatim: Schema.Json | null
    }
