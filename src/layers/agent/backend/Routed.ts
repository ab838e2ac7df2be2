/**
 * A backend that consists of several: each phase of a review has its own, with fallbacks.
 *
 * A fallback is used only if the user configured it, and its use is always reported. A backend that has refused is not
 * called again. `static` in a chain is dd itself, which the caller of the backend runs.
 */
import { DateTime, Effect, Stream } from "effect"
import { label, phaseOf, type Task } from "../../../domain/agent/Task.ts"
import { fallbackOf } from "../../../domain/change/Degraded.ts"
import { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import { type Phase, phases } from "../../../domain/run/BackendChoice.ts"
import { Backend, type BackendError, NoModel, type Repair } from "../../../services/agent/Backend.ts"
import type { FailPolicy } from "../../../services/run/FailPolicy.ts"

/** The first backend, then its fallbacks. Nothing after `static` is used. */
export type Chain = readonly [Link, ...ReadonlyArray<Link>]
export type Link = Backend["Service"] | "static"

/** It has the name, the model and the fanout of the backend that reviews the stacks: reviews are named after it. */
export const routed = (
  chains: Readonly<Record<Phase, Chain>>,
  onFailure: FailPolicy["Service"],
  fanout: number
): Backend["Service"] => {
  const [reviewer] = chains["per-stack-reviews"]
  const refused = new Set<Link>()
  const answerers = new WeakMap<Task, string>()
  const reportFallback = (step: string, error: BackendError, next: Link) =>
    onFailure.degrade(fallbackOf(step, error, backendName(next)))

  const executed = (link: Link, task: Task, repair: Repair | undefined) => {
    if (link === "static") return Stream.fail(new NoModel({ task: label(task) }))
    return (repair === undefined ? link.execute(task) : link.execute(task, repair)).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag === "Result") answerers.set(task, nameOf(link))
        })
      )
    )
  }

  const answered = (
    [first, ...others]: Chain,
    task: Task,
    repair: Repair | undefined
  ): Stream.Stream<AgentEvent, BackendError | NoModel> => {
    const [next, ...rest] = others
    if (next === undefined) return executed(first, task, repair)
    if (refused.has(first)) return answered([next, ...rest], task, repair)
    return Stream.catch(executed(first, task, repair), (error) =>
      Stream.unwrap(
        Effect.gen(function* () {
          if (error._tag === "NoModel") return Stream.fail(error)
          const isKnown = refused.has(first)
          if (error._tag === "BackendRefused") refused.add(first)
          if (!isKnown) yield* reportFallback(phaseOf[task._tag], error, next)
          const timestamp = DateTime.formatIso(yield* DateTime.now)
          // The events so far belong to no answer.
          const broken = AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason: "failed" })
          return Stream.concat(Stream.make(broken), answered([next, ...rest], task, repair))
        })
      )
    )
  }

  /** The first backend of each chain, with its fallback. */
  const check = Effect.gen(function* () {
    const known = new Map<Link, BackendError | null>()
    for (const chain of Object.values(chains)) {
      for (const [at, link] of chain.entries()) {
        const isNew = !known.has(link)
        if (isNew) known.set(link, yield* refusalOf(link))
        const error = known.get(link) ?? null
        if (error === null) break
        refused.add(link)
        const next = chain[at + 1]
        if (next === undefined) return yield* error
        if (isNew) yield* reportFallback("check", error, next)
      }
    }
  })

  return Backend.of({
    name: backendName(reviewer),
    model: reviewer === "static" ? "" : reviewer.model,
    phases: new Set(phases.filter((phase) => chains[phase][0] !== "static")),
    fanout: reviewer === "static" ? fanout : reviewer.fanout,
    check,
    answererOf: (task) => answerers.get(task) ?? nameOf(reviewer),
    execute: (task, repair) => answered(chains[phaseOf[task._tag]], task, repair)
  })
}

const refusalOf = (link: Link): Effect.Effect<BackendError | null> =>
  Effect.match(link === "static" ? Effect.void : (link.check ?? Effect.void), {
    onFailure: (error) => error,
    onSuccess: () => null
  })

export const backendName = (link: Link): string => (link === "static" ? link : link.name)

const nameOf = (link: Link): string =>
  link === "static" || link.model === "" ? backendName(link) : `${link.name} (${link.model})`
