/** Why a run or an input failed. All waiters of a run get the same failure. */
import { Schema } from "effect"
import type { ModelError } from "../Model.ts"

/** The model refused, or a filter withheld its answer. */
export class ModelRefused extends Schema.TaggedError<ModelRefused>()("ModelRefused", {
  model: Schema.String,
  kind: Schema.Literals(["refusal", "filtered"]),
  /** The provider's name for it. */
  stopReason: Schema.String
}) {
  override get message() {
    return this.kind === "refusal"
      ? `${this.model} refused to answer (${this.stopReason})`
      : `the answer of ${this.model} was withheld by a filter (${this.stopReason})`
  }
}

/** The model was asked once more, for an answer that does not fit twice more, and did no better. */
export class NoProgress extends Schema.TaggedError<NoProgress>()("NoProgress", {
  model: Schema.String,
  /** Of the last turn. */
  reason: Schema.Literals(["cut off", "empty", "same failing call"]),
  maxTokens: Schema.Int
}) {
  override get message() {
    if (this.reason === "same failing call") {
      return `${this.model} made the same failing call three times: its answer does not fit the reply format`
    }
    return this.reason === "cut off"
      ? `the answer of ${this.model} was cut off at ${this.maxTokens} tokens, also when asked again`
      : `${this.model} answered without text or calls, also when asked again`
  }
}

export class HookFailed extends Schema.TaggedError<HookFailed>()("HookFailed", {
  hook: Schema.Literals(["save", "onStep", "onRun", "shouldContinue"]),
  cause: Schema.Defect()
}) {
  override get message() {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `${this.hook} of the context failed: ${reason}`
  }
}

export class RunAborted extends Schema.TaggedError<RunAborted>()("RunAborted", { context: Schema.String }) {
  override get message() {
    return `the run of ${this.context} was stopped`
  }
}

/** The run would wait for itself. */
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
    return `the arguments of the ${this.type} context are not valid`
  }
}

export class InputInvalid extends Schema.TaggedError<InputInvalid>()("InputInvalid", {
  type: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the ${this.type} input is not valid`
  }
}

export type RunFailure = ModelError | ModelRefused | NoProgress | HookFailed | RunAborted

export type SendFailure = RunFailure | Reentrant | ArgsInvalid | InputInvalid
