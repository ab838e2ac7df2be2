/** The minimum cost of a review: one answer of each planned agent. Agents with tools take more turns. */
import { Context, Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { ReviewPlan } from "../../domain/run/ReviewPlan.ts"

export interface Estimate {
  readonly promptTokens: number
  /** US dollars; null if a price is unknown. */
  readonly usd: number | null
}

export type CostEstimate = (change: Change, plan: ReviewPlan) => Effect.Effect<Estimate>

export const CostEstimate = Context.Reference<CostEstimate>("dd/services/agent/CostEstimate", {
  defaultValue: () => () => Effect.succeed({ promptTokens: 0, usd: 0 })
})
