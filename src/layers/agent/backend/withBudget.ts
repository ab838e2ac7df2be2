/**
 * Stops a backend when its cost has reached the run's limit: for backends whose answers have no known maximum price, so
 * that the running answer may exceed the limit. dd's own requests to models reserve their price: `model/withBudget`.
 */
import { Effect, Stream } from "effect"
import { withCost } from "../../../domain/agent/Prices.ts"
import type { Task } from "../../../domain/agent/Task.ts"
import { costOfCall, countUsage, hasTokens, noCallUsage, totalUsage } from "../../../domain/agent/Usage.ts"
import type { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import { type Backend, BackendFailed, type Repair } from "../../../services/agent/Backend.ts"
import type { Budget, BudgetSpent } from "../../../services/agent/Budget.ts"
import type { PriceList } from "../../../services/agent/PriceList.ts"

export const withBudget = (backend: Backend["Service"], budget: Budget, list: PriceList): Backend["Service"] => {
  const within = withinBudget(backend, budget, list)
  return {
    ...backend,
    execute: (task: Task, repair?: Repair) =>
      within(repair === undefined ? backend.execute(task) : backend.execute(task, repair))
  }
}

/** The same for the events of one answer. */
export const withinBudget =
  ({ name, model: usual }: Pick<Backend["Service"], "name" | "model">, budget: Budget, list: PriceList) =>
  <E>(events: Stream.Stream<AgentEvent, E>): Stream.Stream<AgentEvent, E | BackendFailed> => {
    if (budget.limit === null) return events
    const stop = (cause: BudgetSpent) => new BackendFailed({ backend: name, retryable: false, cause })
    let usage = noCallUsage
    let counted = 0
    let model = usual
    const count = Effect.fnUntraced(function* (event: AgentEvent) {
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
      yield* budget.spendOrStop(more)
    })
    return Stream.unwrap(
      Effect.as(
        Effect.mapError(budget.spendOrStop(0), stop),
        Stream.tap(events, (event) => Effect.mapError(count(event), stop))
      )
    ).pipe(
      // Unreported usage may have any cost.
      Stream.ensuring(Effect.suspend(() => (costOfCall(usage).usd === null ? budget.spendUnknown : Effect.void)))
    )
  }
