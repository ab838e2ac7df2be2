/** Why a run, or what was sent to one, came to nothing. Each of the senders that wait for a run gets the same. */
import { Schema } from "effect"
import type { ModelError } from "../Model.ts"

/** The model would not answer, or its answer was withheld. */
export class ModelRefused extends Schema.TaggedError<ModelRefused>()("ModelRefused", {
  model: Schema.String,
  kind: Schema.Literals(["refusal", "filtered"]),
  /** In the provider's own word. */
  stopReason: Schema.String
}) {
  override get message() {
    return this.kind === "refusal"
      ? `${this.model} refused to answer (${this.stopReason})`
      : `the answer of ${this.model} was withheld by a filter (${this.stopReason})`
  }
}

/** A context's own code failed, between the turns. */
export class HookFailed extends Schema.TaggedError<HookFailed>()("HookFailed", {
  hook: Schema.Literals(["save", "onStep", "onRun", "shouldContinue"]),
  cause: Schema.Defect()
}) {
  override get message() {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `${this.hook} of the context failed: ${reason}`
  }
}

/** The run was told to stop. */
export class RunAborted extends Schema.TaggedError<RunAborted>()("RunAborted", { context: Schema.String }) {
  override get message() {
    return `the run of ${this.context} was stopped`
  }
}

/** Waiting for this run would be waiting for oneself. */
export class Reentrant extends Schema.TaggedError<Reentrant>()("Reentrant", {
  context: Schema.String,
  from: Schema.String
}) {
  override get message() {
    return `${this.from} cannot wait for ${this.context}, which waits for it`
  }
}

export class ArgsInvalid extends Schema.TaggedError<ArgsInvalid>()("ArgsInvalid", {
  type: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `these are no arguments of a ${this.type} context`
  }
}

export class InputInvalid extends Schema.TaggedError<InputInvalid>()("InputInvalid", {
  type: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `this is no ${this.type} input`
  }
}

/** A run that began came to nothing. */
export type RunFailure = ModelError | ModelRefused | HookFailed | RunAborted

/** What a sender is told. */
export type SendFailure = RunFailure | Reentrant | ArgsInvalid | InputInvalid
