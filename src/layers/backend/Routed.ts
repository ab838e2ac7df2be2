/**
 * A backend made of several: each phase of a review has its own, and those that answer where it cannot.
 *
 * A stand-in is asked only where the user wrote one down, and is never quiet about it.
 */
import { DateTime, Effect, Stream } from "effect"
import { AgentEvent } from "../../domain/AgentEvent.ts"
import { type Phase, phaseOf } from "../../domain/BackendChoice.ts"
import { allLines } from "../../domain/SeenLines.ts"
import { shownIn } from "../../domain/Sight.ts"
import type { Task } from "../../domain/Task.ts"
import { Backend, type BackendError, type Repair } from "../../services/Backend.ts"
import type { FailPolicy } from "../../services/FailPolicy.ts"

/** First who is asked, then who stands in, in order. */
export type Chain = readonly [Backend["Service"], ...ReadonlyArray<Backend["Service"]>]

/** It has the name, the model and the bounds of who reviews the stacks: that is what a review by it is called. */
export const routed = (
  chains: Readonly<Record<Phase, Chain>>,
  onFailure: FailPolicy["Service"]
): Backend["Service"] => {
  const [reviewer] = chains["per-stack-reviews"]
  const answered = (
    [first, ...others]: Chain,
    task: Task,
    repair: Repair | undefined
  ): Stream.Stream<AgentEvent, BackendError> => {
    const [next, ...rest] = others
    const asked = repair === undefined ? first.execute(task) : first.execute(task, repair)
    if (next === undefined) return asked
    return Stream.catch(asked, (error) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const detail = `${error.message}; ${next.name} answers instead`
          yield* onFailure.degrade({ step: phaseOf[task._tag], error: error._tag, detail })
          const timestamp = DateTime.formatIso(yield* DateTime.now)
          // What was said until then belongs to no answer.
          const broken = AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason: "failed" })
          // Rules look at every line of the files they report as reviewed.
          const lines = task._tag === "StackReview" && next.source === "static" ? allLines(task.change.diff.files) : []
          const shown = next.source === "static" ? shownIn(task, lines, timestamp) : []
          return Stream.concat(Stream.make(broken, ...shown), answered([next, ...rest], task, repair))
        })
      )
    )
  }
  return Backend.of({
    name: reviewer.name,
    model: reviewer.model,
    source: reviewer.source,
    fanout: reviewer.fanout,
    execute: (task, repair) => answered(chains[phaseOf[task._tag]], task, repair)
  })
}
