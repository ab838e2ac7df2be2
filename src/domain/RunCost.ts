/**
 * What a run cost: as its backend reported it, else computed from prices a step at a time, else unknown.
 *
 * One step with tokens whose price nobody knows makes the whole unknown: a sum that lacks a part is not the sum.
 */
import { type Prices, priceOf } from "./Prices.ts"
import type { Trajectory } from "./Trajectory.ts"

export interface RunCost {
  /** US dollars; null: unknown. */
  readonly usd: number | null
  /** `none`: no model was asked. */
  readonly source: "none" | "reported" | "prices" | "unknown"
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
}

/** `trajectories`: the run's own and every sibling. */
export const costOfRun = (trajectories: ReadonlyArray<Trajectory>, prices: Prices): RunCost => {
  let usd = 0
  let estimated = false
  let unknown = false
  let steps = 0
  const sums: { [name in "prompt" | "completion" | "cached"]: number | null } = {
    prompt: null,
    completion: null,
    cached: null
  }
  const count = (name: keyof typeof sums, value: number | null | undefined) => {
    if (typeof value === "number") sums[name] = (sums[name] ?? 0) + value
  }
  for (const { agent, steps: all } of trajectories) {
    for (const { metrics, model_name } of all) {
      if (!metrics) continue
      const { cached_tokens, completion_tokens, cost_usd, extra, prompt_tokens } = metrics
      count("prompt", prompt_tokens)
      count("completion", completion_tokens)
      count("cached", cached_tokens)
      steps++
      if (typeof cost_usd === "number") {
        usd += cost_usd
        continue
      }
      const computed = priceOf(prices, model_name ?? agent.model_name ?? "", {
        promptTokens: prompt_tokens ?? null,
        completionTokens: completion_tokens ?? null,
        cachedTokens: cached_tokens ?? null,
        cacheWrittenTokens: typeof extra?.cache_written_tokens === "number" ? extra.cache_written_tokens : null
      })
      if (computed === null) unknown ||= (prompt_tokens ?? 0) + (completion_tokens ?? 0) > 0
      else {
        estimated = true
        usd += computed
      }
    }
  }
  const tokens = { promptTokens: sums.prompt, completionTokens: sums.completion, cachedTokens: sums.cached }
  if (steps === 0) return { ...tokens, usd: 0, source: "none" }
  if (unknown) return { ...tokens, usd: null, source: "unknown" }
  return { ...tokens, usd, source: estimated ? "prices" : "reported" }
}
