import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { fitnessDelta, fitnessMaps, gauges, weighted } from "../../../src/domain/night/composite.ts"
import { metricNames } from "../../../src/domain/night/Fitness.ts"
import { it } from "../../support/effect.ts"
import { measurementOf } from "../../support/night/measurements.ts"

describe("composite", () => {
  it("has weights that add up to 1", () => {
    expect(metricNames.reduce((sum, name) => sum + gauges[name].weight, 0)).toBeCloseTo(1, 12)
  })

  it("is the weighted mean of what could be measured", () => {
    const { metrics } = measurementOf({ suppression_precision: 0.8, suppression_recall: 0.1 })
    const few = { ...metrics, calibration: { value: null, n: 5, lo: 0, hi: 1, state: "insufficient" as const } }
    expect(fitnessMaps(few, few).after).toEqual({
      suppression_precision: 0.8,
      suppression_recall: 0.1,
      composite: expect.closeTo((0.25 * 0.8 + 0.1 * 0.1) / 0.35, 12)
    })
  })

  it("is in no map if nothing could be measured", () => {
    const { metrics } = measurementOf({})
    expect(fitnessMaps(metrics, metrics).after).toEqual({})
    expect(fitnessDelta(metrics, measurementOf({ calibration: 0.5 }).metrics)).toEqual({})
  })

  it("compares what both measured", () => {
    const before = measurementOf({ calibration: 0.25, ranking_ap: 0.5 }).metrics
    const after = measurementOf({ calibration: 0.75, playbook_success: 1 }).metrics
    expect(fitnessDelta(before, after)).toEqual({ calibration: 0.5, composite: 0.5 })
    expect(fitnessMaps(before, after)).toEqual({
      before: { calibration: 0.25, ranking_ap: 0.5, composite: 0.25 },
      after: { calibration: 0.75, playbook_success: 1, composite: expect.closeTo(0.75, 12) }
    })
  })

  const Values = Schema.Array(Schema.Literals([0, 0.2, 0.7, 1])).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(metricNames.length)
  )

  it.prop("is between the lowest and the highest value", Values, (values) => {
    const names = metricNames.slice(0, values.length)
    const composite = weighted(names, (name) => values[names.indexOf(name)] ?? 0)
    expect(composite).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9)
    expect(composite).toBeLessThanOrEqual(Math.max(...values) + 1e-9)
  })
})
