/**
 * Describes the purpose of the change, so that reviewers can judge it by its own aim.
 *
 * Fails open: without an agent's answer, the intent is the size of the change and its commit subjects.
 */
import { Context, Effect, Layer } from "effect"
import { type Change, summarize } from "../../domain/change/Change.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import { Agent } from "../agent/Agent.ts"
import { FailPolicy } from "../run/FailPolicy.ts"

export class IntentReader extends Context.Service<
  IntentReader,
  {
    readonly read: (change: Change, exploration: Exploration) => Effect.Effect<string>
  }
>()("dd/services/review/IntentReader") {
  static readonly layer = Layer.effect(
    IntentReader,
    Effect.gen(function* () {
      const agent = yield* Agent
      const onFailure = yield* FailPolicy

      const read = Effect.fn("IntentReader.read")(
        function* (change: Change, exploration: Exploration) {
          const reply = yield* agent.invoke(
            { _tag: "Intent", change, exploration },
            { phase: "intent" },
            { intent: summarize(change) }
          )
          return reply.intent
        },
        (self, change) => self.pipe(onFailure.open("intent", summarize(change)))
      )

      return IntentReader.of({ read })
    })
  )
}
