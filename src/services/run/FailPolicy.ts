/**
 * Decides what happens to a step's input when the step fails.
 *
 * Only typed failures are handled; defects and interruptions pass. Each handled failure leaves a warning, a `Degraded`
 * event and an entry in `degraded`, so that a skipped step is not mistaken for one that found nothing. Warnings are
 * logged at the end of the run, each with its step.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { Degraded } from "../../domain/change/Degraded.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import { Recorder } from "./Recorder.ts"

interface Expected {
  readonly _tag: string
  readonly message: string
}

type Fallback<B> = <A, E extends Expected, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | B, never, R>

/** The entries of one item of `together` until all items have ended; null outside it. */
const Branch = Context.Reference<Ref.Ref<ReadonlyArray<Degraded>> | null>("dd/services/FailPolicy/Branch", {
  defaultValue: () => null
})

const make = Effect.gen(function* () {
  const recorder = yield* Recorder
  const entries = yield* Ref.make<ReadonlyArray<Degraded>>([])
  const append = (more: ReadonlyArray<Degraded>) =>
    Effect.flatMap(Branch, (branch) => Ref.update(branch ?? entries, (all) => [...all, ...more]))

  let warned = 0
  const warn = Effect.gen(function* () {
    const all = yield* Ref.get(entries)
    const fresh = all.slice(warned)
    warned = all.length
    for (const { detail, error, step } of fresh) {
      yield* Effect.annotateLogs(Effect.logWarning(detail === "" ? error : detail), { step })
    }
  })
  yield* Effect.addFinalizer(() => warn)

  const degrade = (entry: Degraded) =>
    Effect.andThen(
      recorder.record(RunEvent.make({ _tag: "Degraded", step: entry.step, error: entry.error, detail: entry.detail })),
      append([entry])
    )

  const together = Effect.fnUntraced(function* <A, B, E, R>(
    items: ReadonlyArray<A>,
    step: (item: A) => Effect.Effect<B, E, R>,
    isFirst: (item: A) => boolean = () => false
  ) {
    const branches = items.map((item, at) => ({ item, at, entries: Ref.makeUnsafe<ReadonlyArray<Degraded>>([]) }))
    const started = [...branches.filter(({ item }) => isFirst(item)), ...branches.filter(({ item }) => !isFirst(item))]
    const appendAll = Effect.flatMap(
      Effect.forEach(branches, ({ entries }) => Ref.get(entries)),
      (entries) => append(entries.flat())
    )
    const results = yield* Effect.forEach(
      started,
      ({ at, entries, item }) =>
        Effect.map(Effect.provideService(step(item), Branch, entries), (value) => ({ at, value })),
      { concurrency: "unbounded" }
    ).pipe(Effect.ensuring(appendAll))
    return results.toSorted((a, b) => a.at - b.at).map(({ value }) => value)
  })

  const apart = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const own = Ref.makeUnsafe<ReadonlyArray<Degraded>>([])
      const report = Effect.flatMap(Ref.getAndSet(own, []), append)
      return work.pipe(
        Effect.provideService(Branch, own),
        Effect.onError(() => report),
        Effect.map((value) => ({ value, report }))
      )
    })

  const open = <B>(step: string, given: B): Fallback<B> =>
    Effect.catch((error) => Effect.as(degrade({ step, error: error._tag, detail: error.message }), given))

  return { open, degrade, degraded: Ref.get(entries), together, apart, warn }
})

export class FailPolicy extends Context.Service<
  FailPolicy,
  {
    /** Fails open: if the effect fails, the result is `given`. */
    readonly open: <B>(step: string, given: B) => Fallback<B>
    /** Reports something missing without a typed failure, in the same three places. */
    readonly degrade: (entry: Degraded) => Effect.Effect<void>
    /**
     * Runs `step` for all items concurrently, those that `isFirst` selects first. Entries are recorded as they happen,
     * and added to `degraded` in the order of the items when all have ended, so that the same failures give the same
     * result.
     */
    readonly together: <A, B, E, R>(
      items: ReadonlyArray<A>,
      step: (item: A) => Effect.Effect<B, E, R>,
      isFirst?: (item: A) => boolean
    ) => Effect.Effect<ReadonlyArray<B>, E, R>
    /** Runs work beside other work: its entries are added to `degraded` by `report`. */
    readonly apart: <A, E, R>(
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<{ readonly value: A; readonly report: Effect.Effect<void> }, E, R>
    /** All entries so far, in order. */
    readonly degraded: Effect.Effect<ReadonlyArray<Degraded>>
    /** Logs the entries that were not logged yet; also called when the scope closes. */
    readonly warn: Effect.Effect<void>
  }
>()("dd/services/run/FailPolicy") {
  static readonly layer = Layer.effect(
    FailPolicy,
    Effect.suspend(() => make)
  )
}

/** Fails open by the policy of the run: if the effect fails, the result is `given`. */
export const failsOpen =
  <B>(step: string, given: B) =>
  <A, E extends Expected, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R | FailPolicy> =>
    FailPolicy.use(({ open }) => open(step, given)(self))
