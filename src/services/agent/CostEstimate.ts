/** The cost of a review before it begins, of the agents whose task is known. */
import { Context, Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { ReviewPlan } from "../../domain/run/ReviewPlan.ts"

export interface Estimate {
  readonly promptTokens: number
  /** The minimum in US dollars, one short answer of each agent; null if a price is unknown. */
  readonly usd: number | null
  /** With the usual number of turns. */
  readonly expectedUsd: number | null
}

export type CostEstimate = (change: Change, plan: ReviewPlan) => Effect.Effect<Estimate>

export const CostEstimate = Context.Reference<CostEstimate>("dd/services/agent/CostEstimate", {
  defaultValue: () => () => Effect.succeed({ promptTokens: 0, usd: 0, expectedUsd: 0 })
})
