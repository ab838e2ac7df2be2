/**
 * The earlier run that `--resume` continues: the logs of its agents, and what this run has used of them.
 *
 * An agent is continued only if its prompt, model and effort are the same, which the id of its context contains.
 */
import { Context } from "effect"

export interface ResumedRun {
  readonly session: string
  /** The directory with the logs of its agents. */
  readonly agents: string
  /** The word of its fences. With another one every prompt would differ. */
  readonly nonce: string
  /** Ids of its contexts, without those of agents that fix. */
  readonly contexts: ReadonlySet<string>
  /** Contexts whose answer was taken, and contexts that were continued. */
  readonly answered: Set<string>
  readonly continued: Set<string>
}

/** Null: a review from the beginning. */
export const ResumedRun = Context.Reference<ResumedRun | null>("dd/services/agent/ResumedRun", {
  defaultValue: () => null
})

/** What was used, in one sentence for the reader. */
export const resumedNote = ({ answered, contexts, continued, session }: ResumedRun): string => {
  const left = [...contexts].filter((id) => !answered.has(id) && !continued.has(id)).length
  const rest =
    left === 0 ? "" : `; ${left} ${left === 1 ? "is" : "are"} not used, because the task or the prompt differs`
  return `This resumes the run ${session}. Of its agents, the answers of ${answered.size} are taken and ${continued.size} continue${rest}. The cost includes what these agents cost then.`
}
