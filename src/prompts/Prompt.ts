/** The request to a model for a task. */
import type { JsonSchema } from "../domain/agent/ModelTurn.ts"
import type { TaskTag } from "../domain/agent/Task.ts"
import type { SeenLines } from "../domain/change/SeenLines.ts"

/** A tool by which an agent submits its reply: `submit_review`. */
export interface Submission {
  readonly name: string
  readonly description: string
  readonly reply: JsonSchema
}

export interface PromptBlock {
  readonly text: string
  /** For an agent without dd's tools; absent: the same. */
  readonly plain?: string
  /** The same in other calls of the run. */
  readonly lasting: boolean
  /** Stays if an extension replaces the prompt. */
  readonly kept?: true
}

export interface Prompt {
  readonly task: TaskTag
  /** The same for every task in every run. */
  readonly system: ReadonlyArray<string>
  /** The most stable blocks first: the same in this run, then for this task. */
  readonly user: ReadonlyArray<PromptBlock>
  readonly submit: Submission
  /** Of other tasks: offered, so that all tasks that read have the same tools, and refused. */
  readonly otherSubmits: ReadonlyArray<Submission>
  /** The tools the agent may use before it answers; `write` includes the read-only ones. */
  readonly tools: "write" | "read-only" | "none"
  /** The word of this run's fences. */
  readonly nonce: string
  /** Lines of the change that are shown completely. */
  readonly shown: ReadonlyArray<SeenLines>
}
