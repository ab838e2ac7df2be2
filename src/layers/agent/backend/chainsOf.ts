/** The backends of each phase in their order; each backend is built once. */
import { Effect, Result } from "effect"
import {
  type Answerer,
  answererKey,
  answerersOf,
  type BackendChoice,
  everyAnswerer,
  type Phase
} from "../../../domain/run/BackendChoice.ts"
import { FailPolicy } from "../../../services/run/FailPolicy.ts"
import type { BackendNotReady } from "./BackendNotReady.ts"
import { backendName, type Chain, type Link } from "./Routed.ts"

export const chainsOf = Effect.fnUntraced(function* <R>(
  choice: BackendChoice,
  build: (answerer: Answerer) => Effect.Effect<Link, BackendNotReady, R>
) {
  const onFailure = yield* FailPolicy
  const built = new Map<string, Result.Result<Link, BackendNotReady>>()
  for (const answerer of everyAnswerer(choice)) {
    built.set(answererKey(answerer), yield* Effect.result(build(answerer)))
  }
  const reported = new Set<BackendNotReady>()
  /** A backend that is not ready is left out if another one is ready, with one warning. */
  const chainOf = Effect.fnUntraced(function* (phase: Phase) {
    const chosen = answerersOf(choice, phase).flatMap((each) => built.get(answererKey(each)) ?? [])
    const [first, ...fallbacks] = chosen.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
    for (const [at, each] of chosen.entries()) {
      if (Result.isSuccess(each)) continue
      if (first === undefined) return yield* each.failure
      if (reported.has(each.failure)) continue
      reported.add(each.failure)
      const { _tag: error, message } = each.failure
      const detail = `${message}; ${backendName(first)} is used instead`
      if (at > 0) yield* Effect.logWarning(`${message}; it cannot replace another backend`)
      else yield* onFailure.degrade({ step: phase, error, detail })
    }
    // Every phase has a backend.
    if (first === undefined) return yield* Effect.die(new Error(`no backend for ${phase}`))
    const chain: Chain = [first, ...fallbacks]
    return chain
  })
  const chains: Readonly<Record<Phase, Chain>> = {
    intent: yield* chainOf("intent"),
    alternatives: yield* chainOf("alternatives"),
    "per-stack-reviews": yield* chainOf("per-stack-reviews"),
    "per-stack-parse": yield* chainOf("per-stack-parse"),
    arbiter: yield* chainOf("arbiter"),
    merge: yield* chainOf("merge")
  }
  return chains
})
