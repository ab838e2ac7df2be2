/** By what an agent of an earlier run is recognized: the digest of its request, and the change that it is about. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import type { Task } from "../../../domain/agent/Task.ts"
import { type Change, sideText } from "../../../domain/change/Change.ts"
import type { Prompt } from "../../../prompts/Prompt.ts"

/** In the first line of the log of an agent: what a later run needs to continue it. */
export const AgentArgs = Schema.Struct({
  /** The name of the task, and the digest of its request. */
  task: Schema.String,
  /** The word of the fences in its prompt. */
  nonce: Schema.String,
  /** The digest of the change; null: the task does not contain it. */
  change: Schema.NullOr(Schema.String)
})
export type AgentArgs = typeof AgentArgs.Type

const digestOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex")

/** `by`: what else decides the answer, such as the model. */
export const requestDigest = (
  { otherSubmits, submit, system, tools, user }: Prompt,
  by: ReadonlyArray<string | null>
) => digestOf([by, system, user.map(({ text }) => text), submit, otherSubmits, tools]).slice(0, 16)

const digests = new WeakMap<Change, string>()

/** Of the files and sides of a change. */
export const changeDigest = (change: Change): string => {
  const known = digests.get(change)
  if (known !== undefined) return known
  const made = digestOf([sideText(change.base), sideText(change.head), change.diff.files])
  digests.set(change, made)
  return made
}

/** Null for a task that does not contain the change. */
export const changeOf = (task: Task): string | null => ("change" in task ? changeDigest(task.change) : null)
