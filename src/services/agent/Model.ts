/**
 * One turn with a language model: a request in, what the model says out, as it says it.
 *
 * A port: `layers/model/*`, each of which passes `test/support/modelContract.ts`. It never retries (who calls knows
 * what has been done since), never executes anything, and interrupting the stream closes the connection.
 */
import { Context, Duration, type Effect, Schema, type Stream } from "effect"
import type { ModelEvent, ModelRequest } from "../../domain/agent/ModelTurn.ts"

const kinds = [
  /** No answer: no route, refused, reset, cut in the middle. */
  "unreachable",
  /** Nothing came for too long. */
  "stalled",
  "rate-limited",
  "overloaded",
  /** The provider's own fault (5xx). */
  "provider-fault",
  /** The key is missing, wrong, or may not do this; the model is unknown; there is no credit. */
  "not-allowed",
  /** The request is wrong in a way that asking again does not mend. */
  "rejected",
  "context-too-long",
  /** The user's own limit would be passed. */
  "over-budget",
  /** What came is not the protocol. */
  "malformed",
  /** More came than an answer can be; asked again, it would be as much. */
  "too-much"
] as const
export type ModelErrorKind = (typeof kinds)[number]

/** The turn did not end. What was heard of it before has been emitted. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  provider: Schema.String,
  model: Schema.String,
  kind: Schema.Literals(kinds),
  /** HTTP status where there was one. */
  status: Schema.NullOr(Schema.Int),
  /** What the provider asked to wait before the next try. */
  retryAfterMillis: Schema.NullOr(Schema.Finite),
  /** In one line, from the provider where it says something; it is not to be trusted. */
  detail: Schema.String
}) {
  override get message() {
    const status = this.status === null ? "" : ` (HTTP ${this.status})`
    return `${this.provider} ${wordsOf[this.kind]}${status}${this.detail === "" ? "" : `: ${this.detail}`}`
  }

  /** May the same request succeed later? */
  get retryable(): boolean {
    return !["not-allowed", "rejected", "context-too-long", "over-budget", "too-much"].includes(this.kind)
  }

  get retryAfter(): Duration.Duration | null {
    return this.retryAfterMillis === null ? null : Duration.millis(this.retryAfterMillis)
  }
}

const wordsOf: Record<ModelErrorKind, string> = {
  unreachable: "could not be reached",
  stalled: "stopped answering",
  "rate-limited": "asks for fewer requests",
  overloaded: "is overloaded",
  "provider-fault": "failed",
  "not-allowed": "does not allow this",
  rejected: "did not accept the request",
  "context-too-long": "cannot take so much text",
  "over-budget": "was not asked",
  malformed: "answered something that is not its protocol",
  "too-much": "answered more than an answer can be"
}

export class Model extends Context.Service<
  Model,
  {
    /** `anthropic`, `openai`. */
    readonly provider: string
    /** The model that is asked when a request names none by itself. */
    readonly model: string
    /**
     * `native`: the provider carries calls. `words`: the model is told in words how to call. `none`: one answer, no
     * calls at all.
     */
    readonly tools: "native" | "words" | "none"
    /** How many tokens a request and its answer may have together. */
    readonly contextTokens: number
    /** How many requests may be under way at once. */
    readonly fanout: number
    /** The system prompt as it is sent, where it is more than `request.system`. */
    readonly systemOf?: (request: ModelRequest) => ReadonlyArray<string>
    readonly converse: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelError>
    /** A free request; fails where its answer shows that no turn would be answered. */
    readonly check?: Effect.Effect<void, ModelError>
  }
>()("dd/services/agent/Model") {}
