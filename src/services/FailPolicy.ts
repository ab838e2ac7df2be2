/**
 * What becomes of a step's input when the step itself fails.
 *
 * Only the error channel is answered: a defect is a bug and still dies, an interruption still
 * interrupts. Whatever is answered leaves a warning, a `Degraded` event and an entry in `degraded`, so
 * a run that skipped a step never reads like one that passed it.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { Degraded } from "../domain/ReviewResult.ts"
import { RunEvent } from "../domain/RunEvent.ts"
import { Recorder } from "./Recorder.ts"

interface Expected {
  readonly _tag: string
  readonly message: string
}

type Fallback<B> = <A, E extends Expected, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | B, never, R>

export class FailPolicy extends Context.Service<
  FailPolicy,
  {
    /** The step could not decide, so what it was given stands. */
    readonly open: <B>(step: string, given: B) => Fallback<B>
    /** The step could not confirm, so nothing it was given stands. */
    readonly closed: (step: string) => Fallback<readonly []>
    /** Something is missing without a typed failure: say so in the same three places. */
    readonly degrade: (entry: Degraded) => Effect.Effect<void>
    /** Everything said so far, in order. */
    readonly degraded: Effect.Effect<ReadonlyArray<Degraded>>
  }
>()("dd/services/FailPolicy") {
  /** Production: degrade, and say so. */
  static readonly layer = Layer.effect(
    FailPolicy,
    Effect.gen(function* () {
      const { degrade, degraded } = yield* makeLedger

      const fallBackTo = <B>(step: string, value: B): Fallback<B> =>
        Effect.catch((error) => degrade({ step, error: error._tag, detail: error.message }).pipe(Effect.as(value)))

      return FailPolicy.of({ open: fallBackTo, closed: (step) => fallBackTo(step, [] as const), degrade, degraded })
    })
  )

  /** For a run that measures quality: a failed step is a defect, so it cannot pass for a quiet one. */
  static readonly layerStrict = Layer.effect(
    FailPolicy,
    Effect.gen(function* () {
      const { degrade, degraded } = yield* makeLedger
      return FailPolicy.of({ open: () => Effect.orDie, closed: () => Effect.orDie, degrade, degraded })
    })
  )
}

const makeLedger = Effect.gen(function* () {
  const recorder = yield* Recorder
  const entries = yield* Ref.make<ReadonlyArray<Degraded>>([])
  const degrade = (entry: Degraded) =>
    Ref.update(entries, (all) => [...all, entry]).pipe(
      Effect.andThen(recorder.record(RunEvent.make({ _tag: "Degraded", ...entry }))),
      Effect.andThen(Effect.logWarning(`${entry.step}: ${entry.detail}`))
    )
  return { degrade, degraded: Ref.get(entries) }
})
