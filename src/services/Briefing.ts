/**
 * What a model is given for a task: the task's words, this repository's guidance, the profile of the stack, the facts
 * the static reviewer and the symbol index have, all redacted and fenced. Every model backend asks here.
 */
import { Context, type Effect } from "effect"
import type { Task } from "../domain/Task.ts"
import type { Prompt } from "../prompts/Prompt.ts"
import type { Repair } from "./Backend.ts"

export class Briefing extends Context.Service<
  Briefing,
  {
    /** With a repair, the same prompt and after it what was wrong with the answer. Never fails: what could not be had is said in it. */
    readonly promptFor: (task: Task, repair: Repair | null) => Effect.Effect<Prompt>
  }
>()("dd/services/Briefing") {}
