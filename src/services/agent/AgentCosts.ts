/** The cost of the agent calls of a run, and the prices it was computed from that may be out of date. */
import { DateTime, Effect } from "effect"
import { staleness, withCost } from "../../domain/agent/Prices.ts"
import { addRunCost, type Cost, noCost, roundedUsd } from "../../domain/agent/RunCost.ts"
import type { AgentEvent } from "../../domain/run/AgentEvent.ts"
import { compareText } from "../../domain/text/compareText.ts"
import type { CallAnswer } from "./agentReply.ts"
import { PriceList } from "./PriceList.ts"

export const makeAgentCosts = Effect.gen(function* () {
  const priceList = yield* PriceList
  let spent = noCost
  /** Models whose cost was computed from their price. */
  const computedFor = new Set<string>()

  /** Adds the cost to an event. Prices are read when a model reports its usage for the first time. */
  const priced = Effect.fnUntraced(function* (answer: CallAnswer, event: AgentEvent, usualModel: string) {
    if (event._tag !== "Metrics" && event._tag !== "Cost") return event
    const { prices } = yield* priceList.read
    const model = event.model ?? (answer.model || usualModel)
    const withPrice = withCost(answer.usage, event, prices, model)
    if (withPrice !== event) answer.computedFor.add(model)
    return withPrice
  })

  const add = (answer: CallAnswer) =>
    Effect.sync(() => {
      const { cost } = answer
      spent = addRunCost(spent, cost)
      if (cost.source === "computed") for (const model of answer.computedFor) computedFor.add(model)
    })

  const doubts = Effect.gen(function* () {
    const models = [...computedFor].sort(compareText)
    if (models.length === 0) return new Map<string, string>()
    const { prices } = yield* priceList.read
    const today = DateTime.formatIso(yield* DateTime.now)
    return new Map(
      models.flatMap((model) => {
        const reason = staleness(prices, model, today)
        return reason === null ? [] : [[model, reason]]
      })
    )
  })

  const total = Effect.map(doubts, (doubts): Cost => {
    const { usd, ...rest } = spent
    return { ...rest, usd: usd === null ? null : roundedUsd(usd), doubts }
  })

  return { priced, add, total }
})
