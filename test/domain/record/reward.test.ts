import { describe, expect, test } from "bun:test"
import { rewardOf } from "../../../src/domain/record/reward.ts"

/** Verdicts, grounding, length of the report, and what they are worth (reference §6.7). */
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
