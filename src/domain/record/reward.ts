/**
 * The reward of a review, for training (`rewardVersion` is the version of the formula): higher for correct
 * and grounded findings, lower for a long report.
 */
import { Schema } from "effect"

export const rewardVersion = "2026.05.28-2"

const correctnessWeight = 0.6
const groundingWeight = 0.4
const lengthWeight = 0.2
/** In characters: up to `freeLength` without penalty, from `freeLength + lengthScale` on with the full penalty. */
const freeLength = 2000
const lengthScale = 8000

export interface RewardInput {
  /** Of each verified finding; null if none was verified. Unknown verdicts count as wrong. */
  readonly verdicts: ReadonlyArray<string> | null
  readonly groundingRate: number | null
  /** Of the report, if there is one. */
  readonly reportLength: number | null
  /** False if an artifact is not valid JSON. */
  readonly formatValid: boolean
}

export const Reward = Schema.Struct({
  /** 0 to 1; null without verdicts and grounding. */
  composite: Schema.NullOr(Schema.Finite),
  correctness_per_finding: Schema.NullOr(Schema.Array(Schema.Finite)),
  grounding: Schema.NullOr(Schema.Finite),
  format_valid: Schema.Boolean,
  length_penalty: Schema.Finite,
  axes_present: Schema.Struct({ correctness: Schema.Boolean, grounding: Schema.Boolean, length: Schema.Boolean }),
  reward_version: Schema.String
})
export type Reward = typeof Reward.Type

const scoreOf = (verdict: string): number => (verdict === "consistent" ? 1 : verdict === "uncertain" ? 0.5 : 0)

export const rewardOf = ({ formatValid, groundingRate, reportLength, verdicts }: RewardInput): Reward => {
  const judged = verdicts === null || verdicts.length === 0 ? null : verdicts.map(scoreOf)
  const correctness = judged === null ? null : judged.reduce((sum, each) => sum + each, 0) / judged.length
  const axes = [
    ...(correctness === null ? [] : [[correctnessWeight, correctness] as const]),
    ...(groundingRate === null ? [] : [[groundingWeight, groundingRate] as const])
  ]
  const weights = axes.reduce((sum, [weight]) => sum + weight, 0)
  const credit = axes.reduce((sum, [weight, axis]) => sum + weight * axis, 0) / weights
  const penalty = lengthWeight * clip(((reportLength ?? 0) - freeLength) / lengthScale)
  return {
    composite: formatValid ? (axes.length === 0 ? null : rounded(clip(credit - penalty), 4)) : 0,
    correctness_per_finding: judged,
    grounding: groundingRate,
    format_valid: formatValid,
    length_penalty: rounded(penalty, 4),
    axes_present: { correctness: judged !== null, grounding: groundingRate !== null, length: reportLength !== null },
    reward_version: rewardVersion
  }
}

/** The verdict of a pull request on a review, beside the reward and never in it. */
export interface Posterior {
  /** 0 accepted, 0.5 contested, 1 rejected. */
  readonly false_positive_penalty: number
  /** How far the penalty is from the one to expect of these reviewers: 0 to 1. */
  readonly posterior_cost: number
  /** That penalty; null if too few of their verdicts are known. */
  readonly outcome_prior: number | null
  /** Of how many verdicts it is the mean. */
  readonly outcome_prior_n: number
}

/** Null: no penalty is known. */
const penaltyOf = (outcome: string): number | null => penalties[outcome] ?? null
const penalties: Readonly<Record<string, number>> = { accepted: 0, contested: 0.5, rejected: 1 }

/** What to expect of reviewers of whom too little is known. */
const usualPenalty = 0.5
const fewestVerdicts = 10

/** `earlier`: the outcomes of other runs in the repository by some of the same reviewers. Null for an unknown outcome. */
export const posteriorOf = (outcome: string, earlier: ReadonlyArray<string>): Posterior | null => {
  const penalty = penaltyOf(outcome)
  if (penalty === null) return null
  const known = earlier.flatMap((each) => penaltyOf(each) ?? [])
  const prior = known.length < fewestVerdicts ? null : known.reduce((sum, each) => sum + each, 0) / known.length
  return {
    false_positive_penalty: penalty,
    posterior_cost: rounded(Math.abs(penalty - (prior ?? usualPenalty)), 4),
    outcome_prior: prior === null ? null : rounded(prior, 4),
    outcome_prior_n: known.length
  }
}

/** The `reward_json` of a label; null if neither is known. */
export const rewardJson = (reward: Reward | null, posterior: Posterior | null): string | null =>
  reward === null && posterior === null ? null : JSON.stringify({ ...reward, ...posterior })

const clip = (value: number): number => Math.min(1, Math.max(0, value))

export const rounded = (value: number, digits: number): number => {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}
