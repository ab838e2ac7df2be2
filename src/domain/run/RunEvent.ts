/** The events of a run, in order: recorders keep them, progress shows them, `jsonl` prints them. */
import { Schema } from "effect"
import { AgentEvent } from "./AgentEvent.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const RunEvent = Schema.TaggedUnion({
  RunStarted: {
    sessionId: Schema.String,
    flow: Schema.String,
    backend: Schema.String,
    /** The id of the model, or "" if there is none. */
    model: Schema.String,
    description: Schema.String,
    files: count,
    agentsPlanned: count,
    /** Do dd's rules answer, or a model? */
    source: Schema.optionalKey(Schema.Literals(["static", "model"])),
    /** The sides of the change: a commit, or a word such as `worktree`. */
    base: Schema.optionalKey(Schema.String),
    head: Schema.optionalKey(Schema.String),
    /** The commit at the head, and whether there were uncommitted edits on it. */
    headSha: Schema.optionalKey(Schema.String),
    dirty: Schema.optionalKey(Schema.Boolean),
    /** Of `--loop`, from 1. */
    pass: Schema.optionalKey(count),
    /** The session id of the run whose agents this one continues. */
    resumes: Schema.optionalKey(Schema.String)
  },
  StepStarted: { step: Schema.String },
  /** Follows every `StepStarted`; `outcome` is absent if the step succeeded. */
  StepEnded: {
    step: Schema.String,
    summary: Schema.String,
    outcome: Schema.optionalKey(Schema.Literals(["failed", "interrupted"]))
  },
  /** `planned`: the condition of the step was not met; only detailed progress shows it. */
  StepSkipped: { step: Schema.String, reason: Schema.String, planned: Schema.optionalKey(Schema.Boolean) },
  /** An agent call; `fork` is set in a parallel fan-out. `prompt` is the task as text. */
  AgentStarted: {
    call: count,
    task: Schema.String,
    phase: Schema.String,
    fork: Schema.NullOr(Schema.String),
    prompt: Schema.String
  },
  Agent: { call: count, event: AgentEvent },
  /** `error` and `detail` describe a failure, also an invalid reply. */
  AgentEnded: {
    call: count,
    outcome: Schema.Literals(["ok", "failed", "interrupted"]),
    error: Schema.optionalKey(Schema.String),
    detail: Schema.optionalKey(Schema.String)
  },
  /** The project's tests ended, or were interrupted; `output`: the end of what they printed, "" if they passed. */
  TestsEnded: {
    step: Schema.String,
    when: Schema.Literals(["before the fixes", "after the fixes"]),
    command: Schema.String,
    outcome: Schema.String,
    exitCode: Schema.NullOr(Schema.Int),
    durationMs: Schema.NullOr(Schema.Finite),
    reason: Schema.String,
    output: Schema.String
  },
  Degraded: { step: Schema.String, error: Schema.String, detail: Schema.String },
  RunEnded: { status: Schema.String, findings: count }
})
export type RunEvent = typeof RunEvent.Type
