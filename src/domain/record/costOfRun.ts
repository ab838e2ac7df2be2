/** What a recorded run cost, read from its trajectory. */
import type { RunCost } from "../agent/RunCost.ts"
import { isCostSource, noCallCost } from "../agent/Usage.ts"
import type { Trajectory } from "./Trajectory.ts"

/** The totals of the run's own trajectory include its siblings. */
export const costOfRun = ({ final_metrics: totals }: Trajectory): RunCost => {
  const { total_cached_tokens, total_completion_tokens, total_cost_usd, total_prompt_tokens } = totals ?? {}
  const tokens = {
    promptTokens: total_prompt_tokens ?? null,
    completionTokens: total_completion_tokens ?? null,
    cachedTokens: total_cached_tokens ?? null
  }
  const source = totals?.extra?.cost_source
  if (isCostSource(source)) return { ...tokens, usd: source === "none" ? 0 : (total_cost_usd ?? null), source }
  // Records of an older dd have no source, and only reported costs.
  if (total_cost_usd != null) return { ...tokens, usd: total_cost_usd, source: "reported" }
  const isAsked = (total_prompt_tokens ?? 0) + (total_completion_tokens ?? 0) > 0
  return { ...tokens, ...(isAsked ? { usd: null, source: "unknown" } : noCallCost) }
}
