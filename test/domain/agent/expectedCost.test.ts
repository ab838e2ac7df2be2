/** What a review costs before it runs: at least, and usually. */
import { describe, expect, test } from "bun:test"
import { type ExpectedAgent, leastCost, promptShare, usual, usualCost } from "../../../src/domain/agent/expectedCost.ts"
import type { Prices } from "../../../src/domain/agent/Prices.ts"

const prices: Prices = {
  asOf: "2026-11-01",
  byModel: new Map([["m", { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 }]]),
  rooms: new Map()
}
const agent = (more: Partial<ExpectedAgent> = {}): ExpectedAgent => ({
  model: "m",
  prefix: 20_000,
  own: 2_000,
  turns: 5,
  ...more
})

describe("the least cost", () => {
  test("is one short answer of each agent, which read the shared beginning once", () => {
    const answer = (usual.leastAnswer * 10) / 1e6
    const first = (22_000 * 2) / 1e6 + answer
    const second = (20_000 * 0.2 + 2_000 * 2) / 1e6 + answer
    expect(leastCost([agent()], prices)).toBeCloseTo(first, 9)
    expect(leastCost([agent(), agent()], prices)).toBeCloseTo(first + second, 9)
  })

  test("has no shared beginning between models, nor for agents without one", () => {
    const both = { ...prices, byModel: new Map([...prices.byModel, ["n", prices.byModel.get("m")!] as const]) }
    expect(leastCost([agent(), agent({ model: "n" })], both)).toBeCloseTo(2 * leastCost([agent()], prices)!, 9)
    const alone = agent({ prefix: 0, own: 1_000 })
    expect(leastCost([alone, agent()], prices)).toBeCloseTo(
      leastCost([alone], prices)! + leastCost([agent()], prices)!,
      9
    )
  })
})

describe("the share of a prompt under a limit", () => {
  test("lets the beginning cost a quarter of the limit at most, but never shows nothing", () => {
    const whole = (usual.prompt * 2.5) / 1e6
    expect(promptShare(4 * whole, "m", prices)).toBe(1)
    expect(promptShare(100, "m", prices)).toBe(1)
    expect(promptShare(2 * whole, "m", prices)).toBeCloseTo(0.5, 9)
    expect(promptShare(0.001, "m", prices)).toBe(0.1)
    expect(promptShare(0.001, "unknown", prices)).toBe(1)
  })
})

describe("the usual cost", () => {
  test("reads in each turn from the cache what was sent before", () => {
    const turn = usual.results + usual.answer
    const written = (22_000 + turn) * 2.5
    const read = 22_000 * 0.2
    expect(usualCost([agent({ turns: 2 })], prices)).toBeCloseTo((written + read + 2 * usual.answer * 10) / 1e6, 9)
  })

  test("is never below the least, and grows with turns and agents", () => {
    for (const turns of [1, 2, 5, 12]) {
      const agents = [agent({ turns }), agent({ turns, own: 9_000 }), agent({ prefix: 0, turns: 1 })]
      expect(usualCost(agents, prices)!).toBeGreaterThanOrEqual(leastCost(agents, prices)!)
      expect(usualCost(agents, prices)!).toBeGreaterThan(usualCost(agents.slice(0, 2), prices)!)
      expect(usualCost([agent({ turns: turns + 1 })], prices)!).toBeGreaterThan(usualCost([agent({ turns })], prices)!)
    }
  })
})

test("without a price nothing is known, and without agents nothing is spent", () => {
  expect([leastCost, usualCost].map((cost) => cost([agent(), agent({ model: "?" })], prices))).toEqual([null, null])
  expect([leastCost, usualCost].map((cost) => cost([], prices))).toEqual([0, 0])
})
