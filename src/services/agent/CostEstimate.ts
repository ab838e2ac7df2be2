/**
 * What a review will cost at least, before anybody is asked: one answer of each agent that is planned. Those that look
 * around take more turns, how many nobody can say.
 */
import { Context, Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { ReviewPlan } from "../../domain/run/RunState.ts"

export interface Estimate {
  readonly promptTokens: number
  /** US dollars; null where nobody knows a price. */
  readonly usd: number | null
}

export type CostEstimate = (change: Change, plan: ReviewPlan) => Effect.Effect<Estimate>

/** No model is asked, unless a run brings one. */
export const CostEstimate = Context.Reference<CostEstimate>("dd/services/agent/CostEstimate", {
  defaultValue: () => () => Effect.succeed({ promptTokens: 0, usd: 0 })
})
