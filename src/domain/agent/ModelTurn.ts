/** One turn with a language model, independent of the provider: request and events. */
import { Schema } from "effect"
import type { Effort } from "../run/BackendChoice.ts"

/** A JSON Schema, as providers take it. */
export type JsonSchema = { readonly [key: string]: Schema.Json }

/** Names match `^[a-zA-Z0-9_-]{1,64}$`. */
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

export interface AssistantMessage {
  readonly role: "model"
  /** Text and calls in order; thinking is only in `verbatim`. */
  readonly parts: ReadonlyArray<{ readonly _tag: "Text"; readonly text: string } | CallPart>
  /** The turn as its provider wrote it, sent back unchanged to the same provider. Null if `parts` are complete. */
  readonly verbatim: Schema.Json | null
}

/** The results of all calls of the previous message, then text. */
export interface UserMessage {
  readonly role: "user"
  readonly parts: ReadonlyArray<
    | { readonly _tag: "Result"; readonly callId: string; readonly output: string; readonly isError: boolean }
    /** `lasting`: unchanged in later requests of the run, so a prefix that ends here can be cached. */
    | { readonly _tag: "Text"; readonly text: string; readonly lasting: boolean }
  >
}

export type ModelMessage = AssistantMessage | UserMessage

export interface ModelRequest {
  readonly model: string
  /** Most stable first; a cached prefix may end after each. */
  readonly system: ReadonlyArray<string>
  /** In an order that never changes within a run. */
  readonly tools: ReadonlyArray<ToolSpec>
  /** Starts and ends with a user message; append-only within a run. */
  readonly messages: ReadonlyArray<ModelMessage>
  /** `none`: the model must answer now. A name: it must call that tool. */
  readonly choice: "auto" | "none" | { readonly tool: string }
  /** The shape of the answer, if the provider supports structured output; null: text. */
  readonly answer: JsonSchema | null
  readonly maxTokens: number
  /** Of the answer: with less, a turn is not worth its cost. */
  readonly leastTokens?: number
  readonly effort: Effort | null
}

export const endReasons = ["done", "calls", "length", "refusal", "pause", "filtered"] as const
/** `length`: cut off by `maxTokens` or the context size. `pause`: repeat the request with this turn added. */
export type EndReason = (typeof endReasons)[number]

/** What the provider reports. */
export const ModelUsage = Schema.Struct({
  /** Including cached tokens. */
  promptTokens: Schema.Finite,
  /** A part of `promptTokens`; null if not reported. */
  cachedTokens: Schema.NullOr(Schema.Finite),
  /** Another part of `promptTokens`, which some providers charge more for. */
  cacheWrittenTokens: Schema.optionalKey(Schema.Finite),
  completionTokens: Schema.Finite,
  /** A part of `completionTokens`. */
  reasoningTokens: Schema.NullOr(Schema.Finite),
  costUsd: Schema.NullOr(Schema.Finite)
})
export type ModelUsage = typeof ModelUsage.Type

export const noUsage: ModelUsage = {
  promptTokens: 0,
  cachedTokens: null,
  completionTokens: 0,
  reasoningTokens: null,
  costUsd: null
}

/** The stream starts with `Began` and ends with one `Ended`, or fails. Call ids are unique within the run. */
export type ModelEvent =
  | { readonly _tag: "Began"; readonly messageId: string; readonly model: string }
  | { readonly _tag: "Thinking"; readonly text: string }
  /** A block of thinking is complete; a withheld one has no text. */
  | { readonly _tag: "ThinkingEnded" }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "CallBegan"; readonly id: string; readonly name: string }
  | { readonly _tag: "CallArguments"; readonly id: string; readonly text: string }
  /** The complete arguments, unparsed. A truncated call is never executed. */
  | {
      readonly _tag: "CallEnded"
      readonly id: string
      readonly name: string
      readonly arguments: string
      readonly truncated: boolean
    }
  /** The usage of the turn so far. */
  | { readonly _tag: "Used"; readonly usage: ModelUsage }
  | {
      readonly _tag: "Ended"
      readonly reason: EndReason
      /** As the provider names it: `end_turn`, `max_tokens`. */
      readonly stopReason: string
      readonly verbatim: Schema.Json | null
    }
