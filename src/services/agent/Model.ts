/**
 * One turn with a language model: a request, and the stream of its answer.
 *
 * A port: `layers/agent/model/*`, which pass `test/support/modelContract.ts`. It does not retry and executes nothing;
 * interrupting the stream closes the connection.
 */
import { Context, Duration, type Effect, Schema, type Stream } from "effect"
import type { ModelEvent, ModelRequest } from "../../domain/agent/ModelTurn.ts"
import type { ModelRoom } from "../../domain/pack/ModelRoom.ts"

const kinds = [
  /** No connection, or it was closed before a response. */
  "unreachable",
  /** The connection was closed before the end of the answer. */
  "cut-off",
  /** No data arrived for too long. */
  "stalled",
  "rate-limited",
  "overloaded",
  /** A server error (5xx). */
  "provider-fault",
  /** The key is missing, wrong or not permitted to do this; the model is unknown; there is no credit. */
  "not-allowed",
  /** The request is invalid; a retry does not help. */
  "rejected",
  "context-too-long",
  /** The user's cost limit would be exceeded. */
  "over-budget",
  /** The answer violates the protocol. */
  "malformed",
  /** The answer is larger than any valid answer; a retry does not help. */
  "too-much"
] as const
export type ModelErrorKind = (typeof kinds)[number]

/** The turn failed. The events before the failure were emitted. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  provider: Schema.String,
  model: Schema.String,
  kind: Schema.Literals(kinds),
  /** HTTP status, if there was a response. */
  status: Schema.NullOr(Schema.Int),
  /** The pause that the provider asked for before the next try. */
  retryAfterMillis: Schema.NullOr(Schema.Finite),
  /** One line, from the provider if possible; untrusted. */
  detail: Schema.String
}) {
  override get message() {
    const status = this.status === null ? "" : ` (HTTP ${this.status})`
    const wait = this.retryAfter === null ? "" : ` (retry after ${Duration.format(this.retryAfter)})`
    const remedy = this.kind === "context-too-long" ? `; set context in [models."${this.model}"] of prices.toml` : ""
    const detail = this.detail === "" ? "" : `: ${this.detail}`
    return `${this.provider} ${wordsOf[this.kind]}${status}${detail}${wait}${remedy}`
  }

  get retryable(): boolean {
    return !["not-allowed", "rejected", "context-too-long", "over-budget", "too-much"].includes(this.kind)
  }

  get retryAfter(): Duration.Duration | null {
    return this.retryAfterMillis === null ? null : Duration.millis(this.retryAfterMillis)
  }
}

const wordsOf: Record<ModelErrorKind, string> = {
  unreachable: "could not be reached",
  "cut-off": "closed the connection before its answer was complete",
  stalled: "stopped sending",
  "rate-limited": "received too many requests",
  overloaded: "is overloaded",
  "provider-fault": "failed",
  "not-allowed": "refused access",
  rejected: "did not accept the request",
  "context-too-long": "has a smaller context than the request needs",
  "over-budget": "was not called",
  malformed: "sent an answer that violates its protocol",
  "too-much": "sent an answer that is too large"
}

/** Why an agent that a review can do without is not begun. */
export const leftOut = "what is left of the cost limit is kept for the agents that every review needs"

/** For a request that is not sent, because of its cost. `requested`: "" for the model of the layer. */
export const overBudget = (model: Pick<Model["Service"], "model" | "provider">, requested: string, detail: string) =>
  new ModelError({
    provider: model.provider,
    model: requested === "" ? model.model : requested,
    kind: "over-budget",
    status: null,
    retryAfterMillis: null,
    detail
  })

/** Whether the request may have cost something: not if the provider rejected it or was not reached. */
export const mayHaveCost = (hasBegun: boolean, { kind }: ModelError): boolean =>
  hasBegun || kind === "cut-off" || kind === "stalled" || kind === "malformed" || kind === "too-much"

export class Model extends Context.Service<
  Model,
  {
    /** `anthropic`, `openai`. */
    readonly provider: string
    /** The model for requests that name none. */
    readonly model: string
    /** How the model calls tools: with the provider's protocol, in its text, or not at all. */
    readonly tools: "native" | "words" | "none"
    readonly room: ModelRoom
    /** How many requests may run at once. */
    readonly fanout: number
    /** Does the provider charge less for the beginning of a request that an earlier one had? */
    readonly cachesPrefixes?: boolean
    /** The system prompt as it is sent, if it differs from `request.system`. */
    readonly systemOf?: (request: ModelRequest) => ReadonlyArray<string>
    readonly converse: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelError>
    /** With a cost limit: whether the next turn of an agent must be its last, so that every running agent can still answer. */
    readonly mustAnswer?: (next: ModelRequest) => Effect.Effect<boolean>
    /** A free request; fails if its answer shows that turns would fail. */
    readonly check?: Effect.Effect<void, ModelError>
  }
>()("dd/services/agent/Model") {}
