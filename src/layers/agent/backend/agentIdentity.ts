/** By what an agent of an earlier run is recognized: the digest of its request, and the change that it is about. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { label, type Task } from "../../../domain/agent/Task.ts"
import { type Change, sideText } from "../../../domain/change/Change.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
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
const requestDigest = ({ otherSubmits, submit, system, tools, user }: Prompt, by: ReadonlyArray<string | null>) =>
  digestOf([by, system, user.map(({ text }) => text), submit, otherSubmits, tools]).slice(0, 16)

const digests = new WeakMap<Change, string>()

/** Of the files and sides of a change. */
export const changeDigest = (change: Change): string => {
  const known = digests.get(change)
  if (known !== undefined) return known
  const made = digestOf([sideText(change.base), sideText(change.head), change.diff.files])
  digests.set(change, made)
  return made
}

/** The type of the contexts of tasks. */
export const contextType = "task"

export const contextId = ({ task }: AgentArgs): string => `${contextType}:${task}`

/** It is part of the name of a file. */
const longestLabel = 60

/** Each call has another id, also for the same request. `unique`: of agents that no later run continues. */
export const makeAgentArgs = (backend: string, model: string) => {
  /** How many contexts have each key. */
  const made = new Map<string, number>()
  return (task: Task, prompt: Prompt, effort: Effort | null, unique?: string): AgentArgs => {
    const key = `${label(task).slice(0, longestLabel)}:${unique ?? requestDigest(prompt, [backend, model, effort])}`
    const times = (made.get(key) ?? 0) + 1
    made.set(key, times)
    const change = "change" in task ? changeDigest(task.change) : null
    return { task: times === 1 ? key : `${key}:${times}`, nonce: prompt.nonce, change }
  }
}
