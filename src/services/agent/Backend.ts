/**
 * Answers tasks: a model behind an API, a coding CLI, a recording. A review without a model has no backend.
 *
 * A port: `layers/agent/backend/*`, each of which passes `test/support/backendContract.ts`. A stream ends with one
 * `Result` or fails with a `BackendError`; interrupting it stops the work. `Agent` checks the reply.
 */
import { Context, type Effect, Layer, Runtime, Schema, Stream } from "effect"
import { label, type Task } from "../../domain/agent/Task.ts"
import type { AgentEvent } from "../../domain/run/AgentEvent.ts"
import type { Phase } from "../../domain/run/BackendChoice.ts"
import { ModelError } from "./Model.ts"

export class BackendUnavailable extends Schema.TaggedError<BackendUnavailable>()("BackendUnavailable", {
  backend: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the ${this.backend} backend could not be reached${because(this.cause)}`
  }
}

export class BackendFailed extends Schema.TaggedError<BackendFailed>()("BackendFailed", {
  backend: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.Defect()
}) {
  override get message() {
    if (this.cause instanceof ModelError && this.cause.kind === "over-budget") return this.cause.message
    return `the ${this.backend} backend failed${because(this.cause)}`
  }
}

/** The backend is set up but refuses every task. Ends the run. */
export class BackendRefused extends Schema.TaggedError<BackendRefused>()("BackendRefused", {
  backend: Schema.String,
  reason: Schema.String,
  remedy: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `--backend ${this.backend} cannot answer${because(this.reason)}; ${this.remedy}`
  }
}

/** The message of the cause in one line, if it has one. */
const because = (cause: unknown): string => {
  const words = typeof cause === "string" ? cause : cause instanceof Error ? cause.message : ""
  const line = words.replaceAll(/\s+/g, " ").trim()
  return line === "" ? "" : `: ${line.length > longestCause ? `${line.slice(0, longestCause)}…` : line}`
}

const longestCause = 400

export type BackendError = BackendUnavailable | BackendFailed | BackendRefused

/**
 * No model answers this task, because none is configured for it or every configured one failed: dd computes the answer.
 */
export class NoModel extends Schema.TaggedError<NoModel>()("NoModel", { task: Schema.String }) {
  override get message() {
    return `no model answers ${this.task}`
  }
}

/** An answer that did not fit the schema and is sent back for correction. */
export interface Repair {
  readonly answer: string
  /** What is wrong with it, for the model. */
  readonly fault: string
}

export class Backend extends Context.Service<
  Backend,
  {
    readonly name: string
    /** The id of the model, "" without a model. */
    readonly model: string
    /** The phases in which a model is used; absent: all of them. */
    readonly phases?: ReadonlySet<Phase>
    /** How many calls may run at once. */
    readonly fanout: number
    /** `repair`: executes the task again to correct an answer. */
    readonly execute: (task: Task, repair?: Repair) => Stream.Stream<AgentEvent, BackendError | NoModel>
    /** Checks without cost whether tasks would be executed. Absent if the backend cannot be checked. */
    readonly check?: Effect.Effect<void, BackendError>
    /** The name of the backend that answered this task last; absent if it is always this one. */
    readonly answererOf?: (task: Task) => string
  }
>()("dd/services/agent/Backend") {
  /** For a review without a model. `fanout`: how many stacks are reviewed at once. */
  static readonly withoutModel = (fanout: number) =>
    Layer.succeed(Backend, {
      name: "static",
      model: "",
      phases: new Set<Phase>(),
      fanout,
      execute: (task) => Stream.fail(new NoModel({ task: label(task) }))
    })
}
