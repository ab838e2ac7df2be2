/** The cost of a run: the sum of `costOfCall`. */
import { addCost, addKnown, type CallCost, noCallCost, type Usage } from "./Usage.ts"

export type RunCost = CallCost & Pick<Usage, "promptTokens" | "completionTokens" | "cachedTokens">

export const noCost: RunCost = { ...noCallCost, promptTokens: null, completionTokens: null, cachedTokens: null }

export const addRunCost = (a: RunCost, b: RunCost): RunCost => ({
  ...addCost(a, b),
  promptTokens: addKnown(a.promptTokens, b.promptTokens),
  completionTokens: addKnown(a.completionTokens, b.completionTokens),
  cachedTokens: addKnown(a.cachedTokens, b.cachedTokens)
})

/** Rounded to far less than the price of a token, so that the order of a sum makes no difference. */
export const roundedUsd = (usd: number): number => Math.round(usd * 1e9) / 1e9

export interface Cost extends RunCost {
  /** Models whose built-in price may be out of date, and why. */
  readonly doubts: ReadonlyMap<string, string>
}

/** The most that a run may cost, in US dollars. The default does not apply to what has no known price. */
export interface CostLimit {
  readonly usd: number
  readonly isDefault: boolean
}
