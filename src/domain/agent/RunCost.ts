/** What a run cost, read from its record. `costOfCall` decided it while the run was under way. */
import type { Trajectory } from "../record/Trajectory.ts"
import { addCost, type CallCost, isCostSource, nothingSpent, sumOf, type Usage } from "./Usage.ts"

/** Tokens that are not known are null. */
export type RunCost = CallCost & Pick<Usage, "promptTokens" | "completionTokens" | "cachedTokens">

export const noCost: RunCost = { ...nothingSpent, promptTokens: null, completionTokens: null, cachedTokens: null }

export const addRunCost = (a: RunCost, b: RunCost): RunCost => ({
  ...addCost(a, b),
  promptTokens: sumOf(a.promptTokens, b.promptTokens),
  completionTokens: sumOf(a.completionTokens, b.completionTokens),
  cachedTokens: sumOf(a.cachedTokens, b.cachedTokens)
})

/** To far less than a token costs, so that the order of a sum makes no difference. */
export const roundedUsd = (usd: number): number => Math.round(usd * 1e9) / 1e9

/** `root`: the run's own trajectory, whose totals count its siblings as well. */
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
  return { ...tokens, ...(isAsked ? { usd: null, source: "unknown" } : nothingSpent) }
}
