/** What a model is asked for a task: words in an order that providers can cache, and the shape of the reply. */
import type { JsonSchema } from "../domain/agent/ModelTurn.ts"
import type { TaskTag } from "../domain/agent/Task.ts"
import type { SeenLines } from "../domain/change/SeenLines.ts"

export interface Prompt {
  readonly task: TaskTag
  /**
   * Most stable first: what is the same in every run, then in every call of this run, then of this task. No time, no id,
   * no nonce before the part it belongs to.
   */
  readonly system: ReadonlyArray<string>
  /** What the user says, in blocks; `lasting` ones are the same in other calls of the run. */
  readonly user: ReadonlyArray<{ readonly text: string; readonly lasting: boolean }>
  /** The reply as JSON Schema: closed objects, every property named. */
  readonly reply: JsonSchema
  /** The tool by which an agent with tools hands in its reply: `submit_review`. */
  readonly submit: { readonly name: string; readonly description: string }
  /** May the agent look around (files, history, symbols) before it answers? */
  readonly tools: "read-only" | "none"
  /** Lines of the change that it shows whole. */
  readonly shown: ReadonlyArray<SeenLines>
}
