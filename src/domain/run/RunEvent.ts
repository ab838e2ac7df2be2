/** What happens in a run, in order: the one stream that recorders keep, progress shows and `jsonl` prints. */
import { Schema } from "effect"
import { AgentEvent } from "./AgentEvent.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const RunEvent = Schema.TaggedUnion({
  RunStarted: {
    sessionId: Schema.String,
    flow: Schema.String,
    backend: Schema.String,
    /** What answers: a model id, or "" where no model is involved. */
    model: Schema.String,
    description: Schema.String,
    files: count,
    agentsPlanned: count,
    /** Does dd itself answer, or a model? */
    source: Schema.optionalKey(Schema.Literals(["static", "model"])),
    /** The sides of the change: a commit, or what stands for one. */
    base: Schema.optionalKey(Schema.String),
    head: Schema.optionalKey(Schema.String),
    /** The commit at the head, and whether there were uncommitted edits on it. */
    headSha: Schema.optionalKey(Schema.String),
    dirty: Schema.optionalKey(Schema.Boolean)
  },
  StepStarted: { step: Schema.String },
  /** Follows every `StepStarted`; `outcome` is absent when the step ended well. */
  StepEnded: {
    step: Schema.String,
    summary: Schema.String,
    outcome: Schema.optionalKey(Schema.Literals(["failed", "interrupted"]))
  },
  /** `planned`: the step's own condition was not met, which a calm progress need not show. */
  StepSkipped: { step: Schema.String, reason: Schema.String, planned: Schema.optionalKey(Schema.Boolean) },
  /** One agent call; `fork` is set inside a parallel fan-out (reference §5.4). `prompt` is what was asked, in words. */
  AgentStarted: {
    call: count,
    task: Schema.String,
    phase: Schema.String,
    fork: Schema.NullOr(Schema.String),
    prompt: Schema.String
  },
  Agent: { call: count, event: AgentEvent },
  /** `error` and `detail` describe what failed, including an invalid reply. */
  AgentEnded: {
    call: count,
    outcome: Schema.Literals(["ok", "failed", "interrupted"]),
    error: Schema.optionalKey(Schema.String),
    detail: Schema.optionalKey(Schema.String)
  },
  Degraded: { step: Schema.String, error: Schema.String, detail: Schema.String },
  RunEnded: { status: Schema.String, findings: count }
})
export type RunEvent = typeof RunEvent.Type
