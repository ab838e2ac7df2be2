/**
 * Describes the purpose of the change, so that reviewers can judge it by its own aim.
 *
 * Fails open: without an agent's answer, the intent is the size of the change and its commit subjects.
 */
import { Effect } from "effect"
import { type Change, summarize } from "../../domain/change/Change.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import { Agent } from "../agent/Agent.ts"
import { failsOpen } from "../run/FailPolicy.ts"

export const readIntent = Effect.fn("IntentReader.read")(
  function* (change: Change, exploration: Exploration) {
    const agent = yield* Agent
    const reply = yield* agent.invoke(
      { _tag: "Intent", change, exploration },
      { phase: "intent" },
      { intent: summarize(change) }
    )
    return reply.intent
  },
  (self, change) => self.pipe(failsOpen("intent", summarize(change)))
)
