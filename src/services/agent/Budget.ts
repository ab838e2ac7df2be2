/**
 * What a run may cost, and what is left of it.
 *
 * Before a model is asked, what the answer may cost at most is held back; when it is over, what it did cost is counted.
 * So no request begins that could take the run over its limit, however many are under way; one that would fit without
 * them waits for them.
 */
import { Context, Deferred, Effect, Exit, Layer, Schema, type Scope } from "effect"

export class BudgetSpent extends Schema.TaggedError<BudgetSpent>()("BudgetSpent", {
  limitUsd: Schema.Finite,
  spentUsd: Schema.Finite,
  /** What answers that were cut off may have cost beyond that; infinite if it cannot be known. */
  uncertainUsd: Schema.Number,
  /** What the next step might have cost; null where nobody knows its price. */
  neededUsd: Schema.NullOr(Schema.Finite)
}) {
  override get message() {
    const spent = `${dollars(this.spentUsd)} of ${dollars(this.limitUsd)} are spent`
    if (this.uncertainUsd === Number.POSITIVE_INFINITY)
      return `${spent}, and what an answer that was cut off has cost is not known`
    const cut = this.uncertainUsd === 0 ? "" : `, up to ${dollars(this.uncertainUsd)} more by answers that were cut off`
    return this.neededUsd === null
      ? `${spent}${cut}, and what the model costs is not known: give it a price in prices.toml`
      : `${spent}${cut}, and the next answer may cost ${dollars(this.neededUsd)}`
  }
}

const dollars = (usd: number): string => `$${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`

export interface Budget {
  readonly limitUsd: number | null
  /**
   * Keeps so much back until the scope closes; null: the price is not known. Waits for what others keep back, and fails
   * where a limit leaves less all the same. Who keeps something back asks for no more until it is free again.
   */
  readonly reserve: (atMostUsd: number | null) => Effect.Effect<void, BudgetSpent, Scope.Scope>
  /** `atWorst`: what a turn that was cut off may have cost beyond that; it is held back from then on. */
  readonly spend: (usd: number, atWorst?: number) => Effect.Effect<void>
  /** An unknown amount was spent: a limit allows nothing more. */
  readonly spendUnknown: Effect.Effect<void>
  /** Spends, and fails where that reached the limit: for who cannot say in advance what he will cost. */
  readonly spendOrStop: (usd: number) => Effect.Effect<void, BudgetSpent>
  /** Did anything have to stop? */
  readonly stopped: Effect.Effect<boolean>
}

/** Without a limit, unless a run has one. */
export const Budget = Context.Reference<Budget>("dd/services/agent/Budget", { defaultValue: () => makeBudget(null) })

/** US dollars; null: no limit. */
export const limit = (limitUsd: number | null) => Layer.sync(Budget, () => makeBudget(limitUsd))

/** Every step is synchronous, so requests side by side see each other's. */
const makeBudget = (limitUsd: number | null): Budget => {
  let spent = 0
  let held = 0
  /** What turns that were cut off may have cost beyond what is known. */
  let uncertain = 0
  let stopped = false
  /** Done when somebody keeps back less. */
  let freed = Deferred.makeUnsafe<void>()
  const refuse = (limit: number, neededUsd: number | null) => {
    stopped = true
    return new BudgetSpent({ limitUsd: limit, spentUsd: spent, uncertainUsd: uncertain, neededUsd })
  }
  const free = (usd: number) =>
    Effect.sync(() => {
      held -= usd
      const told = freed
      freed = Deferred.makeUnsafe()
      Deferred.doneUnsafe(told, Exit.void)
    })
  /** At once: looked at and kept back, or what is to be waited for. */
  const keep = (limit: number, usd: number): Deferred.Deferred<void> | BudgetSpent | null => {
    if (spent + uncertain + usd > limit) return refuse(limit, usd)
    if (spent + uncertain + held + usd > limit) return freed
    held += usd
    return null
  }
  const holdWithin = (limit: number, usd: number): Effect.Effect<void, BudgetSpent, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => keep(limit, usd)),
      (obstacle) => (obstacle === null ? free(usd) : Effect.void)
    ).pipe(
      Effect.flatMap((obstacle) => {
        if (obstacle === null) return Effect.void
        return obstacle instanceof BudgetSpent
          ? Effect.fail(obstacle)
          : Effect.andThen(Deferred.await(obstacle), holdWithin(limit, usd))
      })
    )
  const hold = (atMostUsd: number | null) =>
    Effect.suspend(() => {
      if (limitUsd === null) return Effect.void
      return atMostUsd === null ? Effect.fail(refuse(limitUsd, null)) : holdWithin(limitUsd, atMostUsd)
    })
  const spend = (usd: number, atWorst = 0) =>
    Effect.sync(() => {
      spent += usd
      uncertain += atWorst
    })
  return {
    limitUsd,
    reserve: hold,
    spend,
    spendUnknown: spend(0, Number.POSITIVE_INFINITY),
    spendOrStop: (usd) =>
      Effect.andThen(
        spend(usd),
        Effect.suspend(() =>
          limitUsd !== null && spent + uncertain >= limitUsd ? Effect.fail(refuse(limitUsd, 0)) : Effect.void
        )
      ),
    stopped: Effect.sync(() => stopped)
  }
}
