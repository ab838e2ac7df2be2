/**
 * A backend made of several: each phase of a review has its own, and those that answer where it cannot.
 *
 * A stand-in is asked only where the user wrote one down, and is never quiet about it. One that has refused is not asked
 * again.
 */
import { DateTime, Effect, Stream } from "effect"
import { shownIn } from "../../../domain/agent/Sight.ts"
import type { Task } from "../../../domain/agent/Task.ts"
import { phaseOf } from "../../../domain/agent/Task.ts"
import { allLines } from "../../../domain/change/SeenLines.ts"
import { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import type { Phase } from "../../../domain/run/BackendChoice.ts"
import { Backend, type BackendError, type Repair } from "../../../services/agent/Backend.ts"
import type { FailPolicy } from "../../../services/run/FailPolicy.ts"

/** First who is asked, then who stands in, in order. */
export type Chain = readonly [Backend["Service"], ...ReadonlyArray<Backend["Service"]>]

/** It has the name, the model and the bounds of who reviews the stacks: that is what a review by it is called. */
export const routed = (
  chains: Readonly<Record<Phase, Chain>>,
  onFailure: FailPolicy["Service"]
): Backend["Service"] => {
  const [reviewer] = chains["per-stack-reviews"]
  const refused = new Set<Backend["Service"]>()
  const answerers = new WeakMap<Task, string>()
  const standsIn = (step: string, error: BackendError, next: Backend["Service"]) =>
    onFailure.degrade({ step, error: error._tag, detail: `${error.message}; ${next.name} is asked instead` })

  const asked = (backend: Backend["Service"], task: Task, repair: Repair | undefined) => {
    const answer = (repair === undefined ? backend.execute(task) : backend.execute(task, repair)).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag === "Result") answerers.set(task, nameOf(backend))
        })
      )
    )
    if (backend.source === "model" || task._tag !== "StackReview") return answer
    // Rules look at every line of the files they report as reviewed.
    const shown = Effect.map(DateTime.now, (now) =>
      shownIn(task, allLines(task.change.diff.files), DateTime.formatIso(now))
    )
    return Stream.concat(Stream.fromIterableEffect(shown), answer)
  }

  const answered = (
    [first, ...others]: Chain,
    task: Task,
    repair: Repair | undefined
  ): Stream.Stream<AgentEvent, BackendError> => {
    const [next, ...rest] = others
    if (next === undefined) return asked(first, task, repair)
    if (refused.has(first)) return answered([next, ...rest], task, repair)
    return Stream.catch(asked(first, task, repair), (error) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const isKnown = refused.has(first)
          if (error._tag === "BackendRefused") refused.add(first)
          if (!isKnown) yield* standsIn(phaseOf[task._tag], error, next)
          const timestamp = DateTime.formatIso(yield* DateTime.now)
          // What was said until then belongs to no answer.
          const broken = AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason: "failed" })
          return Stream.concat(Stream.make(broken), answered([next, ...rest], task, repair))
        })
      )
    )
  }

  /** The backends that would be asked first, each with its fallback. */
  const check = Effect.gen(function* () {
    const known = new Map<Backend["Service"], BackendError | null>()
    for (const chain of Object.values(chains)) {
      for (const [at, backend] of chain.entries()) {
        const isNew = !known.has(backend)
        if (isNew) known.set(backend, yield* refusalOf(backend))
        const error = known.get(backend) ?? null
        if (error === null) break
        refused.add(backend)
        const next = chain[at + 1]
        if (next === undefined) return yield* error
        if (isNew) yield* standsIn("check", error, next)
      }
    }
  })

  return Backend.of({
    name: reviewer.name,
    model: reviewer.model,
    source: reviewer.source,
    fanout: reviewer.fanout,
    check,
    answererOf: (task) => answerers.get(task) ?? nameOf(reviewer),
    execute: (task, repair) => answered(chains[phaseOf[task._tag]], task, repair)
  })
}

const refusalOf = ({ check = Effect.void }: Backend["Service"]): Effect.Effect<BackendError | null> =>
  Effect.match(check, { onFailure: (error) => error, onSuccess: () => null })

const nameOf = ({ model, name }: Backend["Service"]): string => (model === "" ? name : `${name} (${model})`)
