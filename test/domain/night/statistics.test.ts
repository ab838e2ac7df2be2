import { describe, expect } from "bun:test"
import { Schema } from "effect"
import {
  bootstrapMean,
  isWorse,
  mean,
  meanInterval,
  type Prediction,
  precisions,
  signTest,
  squaredError,
  wilson
} from "../../../src/domain/night/statistics.ts"
import { it } from "../../support/effect.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const z = 1.959963984540054

describe("wilson", () => {
  it("gives the published interval of 8 of 10", () => {
    const { hi, lo } = wilson(8, 10)
    expect(lo).toBeCloseTo(0.4902, 4)
    expect(hi).toBeCloseTo(0.9433, 4)
  })

  it("knows nothing of nothing", () => {
    expect(wilson(0, 0)).toEqual({ lo: 0, hi: 1 })
  })

  it.prop(
    "has the two shares that are just z standard errors away from the observed one as its bounds",
    Schema.Struct({ k: between(0, 60), more: between(0, 60) }),
    ({ k, more }) => {
      const n = k + more
      if (n === 0) return
      const { hi, lo } = wilson(k, n)
      expect(lo).toBeLessThanOrEqual(k / n)
      expect(hi).toBeGreaterThanOrEqual(k / n)
      for (const bound of [lo, hi]) {
        expect((k / n - bound) ** 2).toBeCloseTo((z * z * bound * (1 - bound)) / n, 9)
        expect(bound).toBeGreaterThanOrEqual(0)
        expect(bound).toBeLessThanOrEqual(1)
      }
    }
  )
})

/** All outcomes of n fair coins that are at least as one-sided. */
const signTestByCounting = (better: number, worse: number): number => {
  const n = better + worse
  let extreme = 0
  for (let outcome = 0; outcome < 2 ** n; outcome++) {
    let ones = 0
    for (let bits = outcome; bits > 0; bits >>= 1) ones += bits & 1
    if (Math.max(ones, n - ones) >= Math.max(better, worse)) extreme++
  }
  return extreme / 2 ** n
}

describe("signTest", () => {
  it.prop("is what counting all outcomes gives", Schema.Tuple([between(0, 6), between(0, 6)]), ([better, worse]) => {
    expect(signTest(better, worse)).toBeCloseTo(signTestByCounting(better, worse), 12)
  })

  it("holds for many items", () => {
    expect(signTest(5000, 5000)).toBe(1)
    // Two standard deviations: 0.0455 with the normal approximation.
    expect(signTest(4900, 5100)).toBeCloseTo(0.0466, 3)
    expect(signTest(0, 10_000)).toBe(0)
  })
})

/** The means of all resamples, each equally likely. */
const allMeans = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  let sums: ReadonlyArray<number> = [0]
  for (const _ of values) sums = sums.flatMap((sum) => values.map((value) => sum + value))
  return sums.map((sum) => sum / values.length)
}

describe("bootstrapMean", () => {
  it.prop(
    "leaves about 2.5 % of all resamples on each side",
    Schema.Struct({
      values: Schema.Array(between(-8, 8)).check(Schema.isMinLength(1), Schema.isMaxLength(5)),
      seed: between(0, 2 ** 31 - 1)
    }),
    ({ seed, values }) => {
      const { hi, lo } = bootstrapMean(values, seed)
      const means = allMeans(values)
      const share = (isThere: (each: number) => boolean) => means.filter(isThere).length / means.length
      expect(share((each) => each < lo - 1e-9)).toBeLessThan(0.05)
      expect(share((each) => each > hi + 1e-9)).toBeLessThan(0.05)
      expect(share((each) => each <= lo + 1e-9)).toBeGreaterThan(0.01)
      expect(share((each) => each >= hi - 1e-9)).toBeGreaterThan(0.01)
    }
  )

  it("is equal for the same seed, and differs for another", () => {
    const values = Array.from({ length: 40 }, (_, at) => Math.sin(at))
    expect(bootstrapMean(values, 7)).toEqual(bootstrapMean(values, 7))
    expect(bootstrapMean(values, 7)).not.toEqual(bootstrapMean(values, 8))
  })

  it("is close to the normal approximation for many values", () => {
    const values = Array.from({ length: 500 }, (_, at) => Math.sin(at))
    const [drawn, normal] = [bootstrapMean(values, 1), meanInterval(values)]
    expect(drawn.lo).toBeCloseTo(normal.lo, 1)
    expect(drawn.hi).toBeCloseTo(normal.hi, 1)
  })
})

describe("isWorse", () => {
  const times = (count: number, difference: number) => Array.from({ length: count }, () => difference)

  it("needs six items that became wrong if none became right", () => {
    expect(isWorse([...times(40, 0), ...times(5, -1)], 1)).toBe(false)
    expect(isWorse([...times(40, 0), ...times(6, -1)], 1)).toBe(true)
    expect(isWorse([...times(40, 0), ...times(6, -1), ...times(3, 1)], 1)).toBe(false)
  })

  it("is not so if items became better, or if there are none", () => {
    expect(isWorse(times(30, 1), 1)).toBe(false)
    expect(isWorse(times(30, 0.2), 1)).toBe(false)
    expect(isWorse([], 1)).toBe(false)
  })

  it("is so for small losses of most items, not for one large loss", () => {
    expect(isWorse([...times(30, -0.1), ...times(5, 0.1)], 1)).toBe(true)
    expect(isWorse([...times(30, 0), -0.9], 1)).toBe(false)
  })
})

const Predictions = Schema.Array(
  Schema.Struct({ probability: Schema.Literals([0.1, 0.4, 0.5, 0.9]), accepted: Schema.Boolean })
).check(Schema.isMaxLength(12))

const averagePrecision = (predictions: ReadonlyArray<Prediction>) => mean(precisions(predictions))

describe("precisions", () => {
  it.prop("are those of the list that is cut below each accepted one", Predictions, (predictions) => {
    const byCutting = predictions
      .filter(({ accepted }) => accepted)
      .map(({ probability }) => {
        const kept = predictions.filter((each) => each.probability >= probability)
        return kept.filter(({ accepted }) => accepted).length / kept.length
      })
    expect(precisions(predictions)).toEqual(byCutting)
  })

  it("average to 1 if all accepted ones are first, and to their share if nothing is predicted", () => {
    const predictions = [0.9, 0.8, 0.2, 0.1].map((probability) => ({ probability, accepted: probability > 0.5 }))
    expect(averagePrecision(predictions)).toBe(1)
    expect(averagePrecision(predictions.map((each) => ({ ...each, probability: 0.5 })))).toBe(0.5)
  })
})

describe("squaredError", () => {
  it("is 0 for a sure and right prediction, 1 for a sure and wrong one", () => {
    expect(squaredError({ probability: 1, accepted: true })).toBe(0)
    expect(squaredError({ probability: 1, accepted: false })).toBe(1)
    expect(squaredError({ probability: 0.5, accepted: false })).toBe(0.25)
  })
})
