import { describe, expect, test } from "bun:test"
import { posteriorOf, rewardOf } from "../../../src/domain/record/reward.ts"

/** Verdicts, grounding, length of the report, and what they are worth. */
const vectors = [
  [["consistent", "uncertain"], 0.5, 6000, 0.55],
  [["contradicts"], 1, 1000, 0.4],
  [null, 0.8, null, 0.8],
  [null, null, 5000, null],
  [["consistent"], 1, 20000, 0.8],
  [["bogus", "consistent"], null, 2000, 0.5],
  [[], 0.9, 10000, 0.7],
  [["uncertain", "uncertain", "uncertain"], 0.3333, 3333, 0.4]
] as const

describe("the reward of a run", () => {
  for (const [verdicts, groundingRate, reportLength, composite] of vectors) {
    test(`of ${verdicts?.join(", ") ?? "no verdict"}, grounding ${groundingRate}, ${reportLength} characters is ${composite}`, () => {
      expect(rewardOf({ verdicts, groundingRate, reportLength, formatValid: true }).composite).toBe(composite)
    })
  }

  test("is 0 if an artifact is not valid, and unknown if there is nothing to compute it from", () => {
    const nothing = { verdicts: null, groundingRate: null, reportLength: null }
    expect(rewardOf({ ...nothing, groundingRate: 1, formatValid: false }).composite).toBe(0)
    expect(rewardOf({ ...nothing, formatValid: true }).composite).toBe(null)
    expect(rewardOf({ ...nothing, formatValid: true }).axes_present).toEqual({
      correctness: false,
      grounding: false,
      length: false
    })
  })
})

describe("the posterior of a run", () => {
  test("is how far the penalty is from the usual one, if too few verdicts are known", () => {
    const few = { outcome_prior: null, outcome_prior_n: 9, posterior_cost: 0.5 }
    const nine = Array(9).fill("contested")
    expect(posteriorOf("accepted", nine)).toEqual({ false_positive_penalty: 0, ...few })
    expect(posteriorOf("rejected", [...nine, "unknown"])).toEqual({ false_positive_penalty: 1, ...few })
  })

  test("is how far it is from the mean of ten or more", () => {
    const earlier = [...Array(5).fill("contested"), ...Array(5).fill("accepted")]
    expect(posteriorOf("contested", earlier)).toEqual({
      false_positive_penalty: 0.5,
      posterior_cost: 0.25,
      outcome_prior: 0.25,
      outcome_prior_n: 10
    })
  })

  test("is unknown for an unknown outcome", () => {
    expect(posteriorOf("unknown", [])).toBe(null)
  })
})
