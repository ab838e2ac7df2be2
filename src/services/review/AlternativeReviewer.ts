/**
 * Suggests better designs for the whole change (the step `wonder`).
 *
 * Works beside the stack reviewers, and fails open to no alternatives.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import type { Alternative } from "../../domain/finding/Alternative.ts"
import { Agent } from "../agent/Agent.ts"
import { FailPolicy } from "../run/FailPolicy.ts"

export class AlternativeReviewer extends Context.Service<
  AlternativeReviewer,
  {
    readonly review: (
      change: Change,
      exploration: Exploration,
      intent: string
    ) => Effect.Effect<ReadonlyArray<Alternative>>
  }
>()("dd/services/review/AlternativeReviewer") {
  static readonly layer = Layer.effect(
    AlternativeReviewer,
    Effect.gen(function* () {
      const agent = yield* Agent
      const onFailure = yield* FailPolicy
      const none: ReadonlyArray<Alternative> = []

      const review = Effect.fn("AlternativeReviewer.review")(
        function* (change: Change, exploration: Exploration, intent: string) {
          const reply = yield* agent.invoke(
            { _tag: "Alternatives", change, exploration, intent },
            { phase: "alternatives" },
            { issues: [] }
          )
          return reply.issues
        },
        (self) => self.pipe(onFailure.open("alternatives", none))
      )

      return AlternativeReviewer.of({ review })
    })
  )
}
