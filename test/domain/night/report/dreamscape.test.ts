import { describe, expect, test } from "bun:test"
import { dreamscapeOf, type Sky, visibilityOf, weatherOf } from "../../../../src/domain/night/report/dreamscape.ts"
import vectors from "../../../support/night/vectors.json"

const sky = (given: Partial<Sky> = {}): Sky => ({
  coverage: null,
  escapeVelocity: null,
  trend: null,
  worse: 0,
  refused: 0,
  measurable: null,
  ...given
})

describe("the DreamScape", () => {
  for (const { coverage, escape_velocity, visibility, weather } of vectors.dreamscape) {
    test(`of coverage ${coverage} and escape velocity ${escape_velocity} is ${weather} and ${visibility}`, () => {
      const given = sky({ coverage, escapeVelocity: escape_velocity })
      expect([weatherOf(given), visibilityOf(given)] as ReadonlyArray<string>).toEqual([weather, visibility])
    })
  }

  test("is a storm front if the fitness fell or a change was refused", () => {
    expect(weatherOf(sky({ trend: -0.01 }))).toBe("storm-front")
    expect(weatherOf(sky({ trend: 0.01 }))).toBe("steady")
    expect(weatherOf(sky({ refused: 1 }))).toBe("storm-front")
    expect(weatherOf(sky({ worse: 1 }))).toBe("storm-front")
  })

  test("is limited if less than half of the metrics could be measured", () => {
    expect(visibilityOf(sky({ measurable: 0.4 }))).toBe("limited")
    expect(visibilityOf(sky({ measurable: 0.5 }))).toBe("clear")
  })

  const night = {
    sky: sky(),
    council: null,
    degraded: ["old"],
    degradedBefore: ["old"],
    contested: null,
    firstMove: "go"
  }

  test("names as tension what is new, and nothing that was so the night before", () => {
    expect(dreamscapeOf(night)).toEqual({
      weather: "steady",
      visibility: "clear",
      council: "single-voice",
      first_move: "go"
    })
    expect(dreamscapeOf({ ...night, degraded: ["old", "new"] }).tension).toBe("new")
    expect(dreamscapeOf({ ...night, contested: "Decide" }).tension).toBe("Decide")
    expect(dreamscapeOf({ ...night, degraded: ["new"], contested: "Decide" }).tension).toBe("new")
  })

  test("names a disagreement of the council before all else", () => {
    const council = { requested_runners: [], consensus_policy: "majority", disagreements: ["a prefers repair: x"] }
    expect(dreamscapeOf({ ...night, council, degraded: ["new"] })).toMatchObject({
      council: "mixed",
      tension: "a prefers repair: x"
    })
  })
})
