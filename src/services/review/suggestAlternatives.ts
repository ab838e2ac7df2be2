/**
 * Suggests better designs for the whole change (the step `wonder`).
 *
 * Works beside the stack reviewers, and fails open to no alternatives.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import type { Alternative } from "../../domain/finding/Alternative.ts"
import { Agent } from "../agent/Agent.ts"
import { failsOpen } from "../run/FailPolicy.ts"

const none: ReadonlyArray<Alternative> = []

export const suggestAlternatives = Effect.fn("AlternativeReviewer.review")(
  function* (change: Change, exploration: Exploration, intent: string) {
    const agent = yield* Agent
    const reply = yield* agent.invoke(
      { _tag: "Alternatives", change, exploration, intent },
      { phase: "alternatives" },
      { issues: [] }
    )
    return reply.issues
  },
  (self) => self.pipe(failsOpen("alternatives", none))
)
