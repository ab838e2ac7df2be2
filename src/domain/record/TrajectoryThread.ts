/** The state of one trajectory while it is built, and its totals. */
import { roundedUsd } from "../agent/RunCost.ts"
import { addCost, addUsage, type CallCost, noCallCost, type Usage, unknownUsage } from "../agent/Usage.ts"
import { FinalMetrics, wholeRun } from "./Trajectory.ts"

export class TrajectoryThread {
  /** Null for the run's own. */
  readonly name: string | null
  readonly descriptor: string
  steps = 0
  /** A call is open; it is never more than one. */
  isBusy = false
  /** The time of the last step. */
  at = ""
  usage: Usage = unknownUsage
  cost: CallCost = noCallCost
  /** Models that have answered. */
  readonly models = new Set<string>()

  constructor(name: string | null, descriptor: string) {
    this.name = name
    this.descriptor = descriptor
  }

  addUsage(model: string | null, usage: Usage): void {
    if (model !== null) this.models.add(model)
    this.usage = addUsage(this.usage, usage)
  }

  /** With `siblings`, the totals of the whole run. */
  totals(siblings: ReadonlyArray<TrajectoryThread> | null): FinalMetrics {
    const threads = [this, ...(siblings ?? [])]
    const { cachedTokens, completionTokens, promptTokens, reasoningTokens } = threads
      .map(({ usage }) => usage)
      .reduce(addUsage)
    const { source, usd } = threads.map(({ cost }) => cost).reduce(addCost)
    return FinalMetrics.make({
      ...(promptTokens === null ? {} : { total_prompt_tokens: promptTokens }),
      ...(completionTokens === null ? {} : { total_completion_tokens: completionTokens }),
      ...(cachedTokens === null ? {} : { total_cached_tokens: cachedTokens }),
      ...(usd === null ? {} : { total_cost_usd: roundedUsd(usd) }),
      total_steps: this.steps,
      extra: {
        cost_source: source,
        ...(siblings === null ? {} : { daydream_metric_scope: wholeRun }),
        ...(reasoningTokens === null ? {} : { total_reasoning_tokens: reasoningTokens })
      }
    })
  }
}
