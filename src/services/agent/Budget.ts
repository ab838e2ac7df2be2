/**
 * The maximum cost of a run.
 *
 * The cost of a request is reserved before it is sent, between the least with which it is useful and the most that it can
 * cost; it may then cost what was reserved. The actual cost is counted afterwards. No request starts that could exceed
 * the limit. A request that fits only without the reservations of others waits for them.
 */
import { Context, Deferred, Effect, Exit, Layer, Schema, type Scope } from "effect"
import type { CostLimit } from "../../domain/agent/RunCost.ts"

export class BudgetSpent extends Schema.TaggedError<BudgetSpent>()("BudgetSpent", {
  limitUsd: Schema.Finite,
  spentUsd: Schema.Finite,
  /** What interrupted answers may additionally have cost; infinite if unknown. */
  uncertainUsd: Schema.Number,
  /** The least cost of the next request; null if its price is unknown. */
  neededUsd: Schema.NullOr(Schema.Finite),
  isDefault: Schema.Boolean
}) {
  override get message() {
    const limit = `${dollars(this.limitUsd)}${this.isDefault ? " (the default limit; max_cost sets another)" : ""}`
    const spent = `${dollars(this.spentUsd)} of ${limit} are spent`
    if (this.uncertainUsd === Number.POSITIVE_INFINITY)
      return `${spent}, and what an answer that was cut off has cost is not known`
    const cut = this.uncertainUsd === 0 ? "" : `, up to ${dollars(this.uncertainUsd)} more by answers that were cut off`
    return this.neededUsd === null
      ? `${spent}${cut}, and the model's price is unknown: add it to prices.toml`
      : `${spent}${cut}, and the next answer may cost ${dollars(this.neededUsd)}`
  }
}

const dollars = (usd: number): string => `$${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`

/** In US dollars. */
export interface CostRange {
  /** Reserved if the limit has no room for more. */
  readonly least: number
  /** Reserved if the limit has room for it when others have ended; absent: the least. */
  readonly usual?: number
  readonly most: number
}

/** In US dollars. */
export interface Reservation {
  /** What the request may cost. */
  readonly allowed: number
  /** What other requests cannot have meanwhile. */
  readonly held: number
}

/** Under a limit that the user set, one request gets at most this share of what is free, so that others can run beside it. */
const largestShare = 1 / 4

export interface Budget {
  readonly limit: CostLimit | null
  /**
   * Reserves an amount until the scope closes; null: the price is unknown. Waits for other reservations if necessary, and
   * fails if the least exceeds the limit without them. A caller holds one reservation at a time.
   *
   * Under the default limit, the usual amount is held, and all that is free is allowed: answers that are longer than usual can
   * together exceed it. A limit that the user set is kept.
   */
  readonly reserve: (range: CostRange | null) => Effect.Effect<Reservation, BudgetSpent, Scope.Scope>
  /** `atWorst`: the additional cost that an interrupted turn may have had; it stays reserved. */
  readonly spend: (usd: number, atWorst?: number) => Effect.Effect<void>
  /** An unknown amount was spent: if the user set a limit, nothing more is allowed. */
  readonly spendUnknown: Effect.Effect<void>
  /** Spends, and fails if the limit is reached: for backends whose cost is not known in advance. */
  readonly spendOrStop: (usd: number) => Effect.Effect<void, BudgetSpent>
  readonly stopped: Effect.Effect<boolean>
  /** Counts an agent that will answer, until the scope closes. */
  readonly join: Effect.Effect<void, never, Scope.Scope>
  /** Whether each running agent and one more can answer for `answer` after something for `next`; false is remembered. */
  readonly leavesAnswers: (next: number, answer: number) => boolean
  /** How many more agents can be paid that cost what the ones until now have cost on average, at least one; infinite if unknown. */
  readonly agentsLeft: Effect.Effect<number>
  /** Whether an agent had to answer earlier than it wanted. */
  readonly hurried: Effect.Effect<boolean>
}

/** No limit, unless a run sets one. */
export const Budget = Context.Reference<Budget>("dd/services/agent/Budget", { defaultValue: () => makeBudget(null) })

/** Null: no limit. `before`: what runs under the same limit have spent; null: nobody knows. */
export const limit = (most: CostLimit | null, before: number | null = 0) =>
  Layer.sync(Budget, () => makeBudget(most, before))

const unlimited: Reservation = { allowed: Number.POSITIVE_INFINITY, held: Number.POSITIVE_INFINITY }

const makeBudget = (most: CostLimit | null, before: number | null = 0): Budget => {
  const limitUsd = most?.usd ?? null
  const isDefault = most?.isDefault ?? true
  const unknown = isDefault ? 0 : Number.POSITIVE_INFINITY
  let spent = before ?? 0
  let reserved = 0
  let reservations = 0
  let uncertain = before === null ? unknown : 0
  let stopped = false
  let agents = 0
  /** All that joined. */
  let joined = 0
  let hurried = false
  /** Completes when a reservation ends. */
  let released = Deferred.makeUnsafe<void>()
  const refuse = (limit: number, neededUsd: number | null) => {
    stopped = true
    return new BudgetSpent({ limitUsd: limit, spentUsd: spent, uncertainUsd: uncertain, neededUsd, isDefault })
  }
  const release = (usd: number) =>
    Effect.sync(() => {
      reservations--
      // Differences of sums are not exact.
      reserved = reservations === 0 ? 0 : reserved - usd
      const previous = released
      released = Deferred.makeUnsafe()
      Deferred.doneUnsafe(previous, Exit.void)
    })
  /** Reserves at once, or returns the event to wait for. */
  const tryReserve = (limit: number, range: CostRange): Deferred.Deferred<void> | BudgetSpent | Reservation => {
    const { most, usual = range.least } = range
    if (spent + uncertain + range.least > limit) return refuse(limit, range.least)
    const least = spent + uncertain + usual > limit ? range.least : usual
    const free = limit - spent - uncertain - reserved
    // Alone, it fits: the sums of both checks are rounded in different ways.
    if (least > free && reservations > 0) return released
    const allowed = Math.max(least, Math.min(most, isDefault ? free : free * largestShare))
    const held = isDefault ? least : allowed
    reserved += held
    reservations++
    return { allowed, held }
  }
  const reserveWithin = (limit: number, range: CostRange): Effect.Effect<Reservation, BudgetSpent, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => tryReserve(limit, range)),
      (given) => ("held" in given ? release(given.held) : Effect.void)
    ).pipe(
      Effect.flatMap((given) => {
        if ("held" in given) return Effect.succeed(given)
        return given instanceof BudgetSpent
          ? Effect.fail(given)
          : Effect.andThen(Deferred.await(given), reserveWithin(limit, range))
      })
    )
  const reserve = (range: CostRange | null) =>
    Effect.suspend(() => {
      if (limitUsd === null || (range === null && isDefault)) return Effect.succeed(unlimited)
      return range === null ? Effect.fail(refuse(limitUsd, null)) : reserveWithin(limitUsd, range)
    })
  const spend = (usd: number, atWorst = 0) =>
    Effect.sync(() => {
      spent += usd
      uncertain += atWorst
    })
  return {
    limit: most,
    reserve,
    spend,
    spendUnknown: spend(0, unknown),
    spendOrStop: (usd) =>
      Effect.andThen(
        spend(usd),
        Effect.suspend(() =>
          limitUsd !== null && spent + uncertain >= limitUsd ? Effect.fail(refuse(limitUsd, 0)) : Effect.void
        )
      ),
    stopped: Effect.sync(() => stopped),
    join: Effect.acquireRelease(
      Effect.sync(() => {
        agents++
        joined++
      }),
      () => Effect.sync(() => agents--)
    ),
    leavesAnswers: (next, answer) => {
      // One more answer: the claims of the running agents are judged.
      const isEnough = limitUsd === null || spent + uncertain + next + (agents + 1) * answer <= limitUsd
      hurried ||= !isEnough
      return isEnough
    },
    agentsLeft: Effect.sync(() =>
      limitUsd === null || spent <= 0 || joined === 0
        ? Number.POSITIVE_INFINITY
        : Math.max(1, Math.floor((limitUsd - spent - uncertain) / (spent / joined)))
    ),
    hurried: Effect.sync(() => hurried)
  }
}
