/**
 * What becomes of a step's input when the step itself fails.
 *
 * Only the error channel is answered: a defect is a bug and still dies, an interruption still
 * interrupts. Whatever is answered leaves a warning, a `Degraded` event and an entry in `degraded`, so
 * a run that skipped a step never reads like one that passed it. Warnings wait for the end of the run, so that equal
 * ones are one line.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { Degraded } from "../../domain/change/Degraded.ts"
import { sameDegraded, timesWords } from "../../domain/change/Degraded.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
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
    /**
     * Does `step` to all of them at once. What is degraded meanwhile is recorded as it happens and kept in the order of
     * the items, so that the same failures make the same result. It is added to `degraded` when the last item has ended.
     * Those that `isFirst` picks begin before the others.
     */
    readonly together: <A, B, E, R>(
      items: ReadonlyArray<A>,
      step: (item: A) => Effect.Effect<B, E, R>,
      isFirst?: (item: A) => boolean
    ) => Effect.Effect<ReadonlyArray<B>, E, R>
    /** Everything said so far, in order. */
    readonly degraded: Effect.Effect<ReadonlyArray<Degraded>>
    /** Logs what was not logged yet. A run that ends before it asks for this is warned of when it ends. */
    readonly warn: Effect.Effect<void>
  }
>()("dd/services/run/FailPolicy") {
  /** Production: degrade, and say so. */
  static readonly layer = Layer.effect(
    FailPolicy,
    Effect.gen(function* () {
      const ledger = yield* makeLedger
      const { degrade } = ledger

      const fallBackTo = <B>(step: string, value: B): Fallback<B> =>
        Effect.catch((error) => degrade({ step, error: error._tag, detail: error.message }).pipe(Effect.as(value)))

      const closed = (step: string) => fallBackTo(step, [] as const)
      return FailPolicy.of({ open: fallBackTo, closed, ...ledger })
    })
  )

  /** For a run that measures quality: a failed step is a defect, so it cannot pass for a quiet one. */
  static readonly layerStrict = Layer.effect(
    FailPolicy,
    Effect.gen(function* () {
      return FailPolicy.of({ open: () => Effect.orDie, closed: () => Effect.orDie, ...(yield* makeLedger) })
    })
  )
}

/** Where a branch of a fan-out keeps what it says until all have ended; null outside of one. */
const Branch = Context.Reference<Ref.Ref<ReadonlyArray<Degraded>> | null>("dd/services/FailPolicy/Branch", {
  defaultValue: () => null
})

const makeLedger = Effect.gen(function* () {
  const recorder = yield* Recorder
  const entries = yield* Ref.make<ReadonlyArray<Degraded>>([])
  /** Entries of a branch are kept back until all branches have ended. */
  const append = (more: ReadonlyArray<Degraded>) =>
    Effect.flatMap(Branch, (branch) => Ref.update(branch ?? entries, (all) => [...all, ...more]))

  let warned = 0
  const warn = Effect.gen(function* () {
    const all = yield* Ref.get(entries)
    const fresh = all.slice(warned)
    warned = all.length
    for (const { count, steps, words } of sameDegraded(fresh)) {
      yield* Effect.logWarning(`${steps.join(", ")}: ${words}${timesWords(count)}`)
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
    const branches = items.map((item) => ({ item, said: Ref.makeUnsafe<ReadonlyArray<Degraded>>([]) }))
    const begun = [...branches.filter(({ item }) => isFirst(item)), ...branches.filter(({ item }) => !isFirst(item))]
    const all = Effect.flatMap(
      Effect.forEach(branches, ({ said }) => Ref.get(said)),
      (said) => append(said.flat())
    )
    const done = yield* Effect.forEach(
      begun,
      (branch) =>
        Effect.map(Effect.provideService(step(branch.item), Branch, branch.said), (came) => ({ branch, came })),
      { concurrency: "unbounded" }
    ).pipe(Effect.ensuring(all))
    return branches.flatMap((branch) => done.filter((each) => each.branch === branch).map(({ came }) => came))
  })

  return { degrade, degraded: Ref.get(entries), together, warn }
})
