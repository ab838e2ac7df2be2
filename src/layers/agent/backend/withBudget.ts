/**
 * Stops a backend when its cost has reached the run's limit: for backends whose answers have no known maximum price, so
 * that the running answer may exceed the limit. What answers cost on average is reserved for each; a whole one is kept, whatever it
 * cost. dd's own requests to models reserve their price: `model/withBudget`.
 */
import { Effect, Stream } from "effect"
import { withCost } from "../../../domain/agent/Prices.ts"
import { isOptional, type Task } from "../../../domain/agent/Task.ts"
import { costOfCall, countUsage, hasTokens, noCallUsage, totalUsage } from "../../../domain/agent/Usage.ts"
import type { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import { type Backend, BackendFailed, type Repair } from "../../../services/agent/Backend.ts"
import type { Budget, BudgetSpent } from "../../../services/agent/Budget.ts"
import { leftOut, overBudget } from "../../../services/agent/Model.ts"
import type { PriceList } from "../../../services/agent/PriceList.ts"

export const withBudget = (backend: Backend["Service"], budget: Budget, list: PriceList): Backend["Service"] => {
  const within = withinBudget(backend, budget, list)
  const { model, name } = backend
  const tooLittle = new BackendFailed({
    backend: name,
    retryable: false,
    cause: overBudget({ provider: name, model }, "", leftOut)
  })
  return {
    ...backend,
    execute: (task: Task, repair?: Repair) =>
      Stream.suspend(() =>
        isOptional(task) && !budget.leavesAnswers(within.usual(), within.usual())
          ? Stream.fail(tooLittle)
          : within.events(repair === undefined ? backend.execute(task) : backend.execute(task, repair))
      )
  }
}

/** The same for the events of each answer. */
export const withinBudget = (
  { name, model: usualModel }: Pick<Backend["Service"], "name" | "model">,
  budget: Budget,
  list: PriceList
): {
  readonly events: <E>(events: Stream.Stream<AgentEvent, E>) => Stream.Stream<AgentEvent, E | BackendFailed>
  /** What an answer costs, in US dollars. */
  readonly usual: () => number
} => {
  const { limit } = budget
  if (limit === null) return { events: (events) => events, usual: () => 0 }
  const stop = (cause: BudgetSpent) => new BackendFailed({ backend: name, retryable: false, cause })
  /** Of the answers that have ended. */
  const ended = { count: 0, usd: 0 }
  /** The default limit does not apply to what has no known price. */
  const first = limit.isDefault ? 0 : limit.usd / 2
  const expected = () => (ended.count === 0 ? first : ended.usd / ended.count)
  const reserved = Effect.suspend(() => {
    const usd = expected()
    return Effect.mapError(budget.reserve({ least: usd, most: usd }), stop)
  })
  const counting = <E>(events: Stream.Stream<AgentEvent, E>): Stream.Stream<AgentEvent, E | BackendFailed> => {
    let usage = noCallUsage
    let counted = 0
    let model = usualModel
    /** The limit is reached; the answer that follows is used. */
    let reached: BudgetSpent | null = null
    const count = Effect.fnUntraced(function* (event: AgentEvent) {
      if (reached !== null && event._tag !== "Cost" && event._tag !== "Result") return yield* reached
      if (event._tag !== "Metrics" && event._tag !== "Cost") return
      model = event.model ?? model
      usage = countUsage(usage, withCost(usage, event, (yield* list.read).prices, model))
      const { usd } = costOfCall(usage)
      // There are tokens without a price and no final cost will follow: the limit cannot be enforced.
      const isProvisional = event._tag === "Metrics" && event.costSource === "provisional"
      if (usd === null && !isProvisional && hasTokens(totalUsage(usage)))
        return yield* Effect.scoped(budget.reserve(null))
      // Negative if the final total is below the sum that was computed for the turns.
      const more = usd === null ? 0 : usd - counted
      counted += more
      const spent = yield* Effect.result(budget.spendOrStop(more))
      reached = spent._tag === "Failure" ? spent.failure : null
    })
    const answer = Stream.tap(events, (event) => Effect.mapError(count(event), stop)).pipe(
      Stream.ensuring(
        Effect.suspend(() => {
          ended.count++
          ended.usd += counted
          // Unreported usage may have any cost.
          return costOfCall(usage).usd === null ? budget.spendUnknown : Effect.void
        })
      )
    )
    return Stream.unwrap(Effect.as(reserved, answer))
  }
  return { events: counting, usual: expected }
}
