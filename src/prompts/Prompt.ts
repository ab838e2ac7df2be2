/** The request to a model for a task. */
import type { JsonSchema } from "../domain/agent/ModelTurn.ts"
import type { TaskTag } from "../domain/agent/Task.ts"
import type { SeenLines } from "../domain/change/SeenLines.ts"

export interface Prompt {
  readonly task: TaskTag
  /** The most stable blocks first: equal in every run, then in this run, then for this task. */
  readonly system: ReadonlyArray<string>
  /** `lasting` blocks are the same in other calls of the run. */
  readonly user: ReadonlyArray<{ readonly text: string; readonly lasting: boolean }>
  readonly reply: JsonSchema
  /** The tool by which an agent submits its reply: `submit_review`. */
  readonly submit: { readonly name: string; readonly description: string }
  /** The tools the agent may use before it answers; `write` includes the read-only ones. */
  readonly tools: "write" | "read-only" | "none"
  /** Lines of the change that are shown completely. */
  readonly shown: ReadonlyArray<SeenLines>
}
