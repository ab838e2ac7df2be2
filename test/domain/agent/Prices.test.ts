import { describe, expect, test } from "bun:test"
import { builtInPrices, hasPrice, priceOf, pricesWith, staleness } from "../../../src/domain/agent/Prices.ts"
import { costOfRun } from "../../../src/domain/record/costOfRun.ts"
import { FinalMetrics, Trajectory, TrajectoryAgent, TrajectoryStep } from "../../../src/domain/record/Trajectory.ts"

const million = { promptTokens: 1_000_000, completionTokens: 1_000_000, cachedTokens: 500_000 }

describe("prices", () => {
  test("count cached tokens at their own price, and never more of them than there were", () => {
    expect(priceOf(builtInPrices, "gpt-5.5", million)).toBeCloseTo(2.5 + 0.25 + 30, 9)
    expect(priceOf(builtInPrices, "gpt-5.5", { ...million, cachedTokens: 9_000_000 })).toBeCloseTo(0.5 + 30, 9)
  })

  test("count what is written to a cache at its own price, where a provider charges more for it", () => {
    const used = { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 200_000, cacheWrittenTokens: 800_000 }
    expect(priceOf(builtInPrices, "claude-sonnet-5", used)).toBeCloseTo(0.2 * 0.2 + 0.8 * 2.5, 9)
    expect(priceOf(builtInPrices, "gpt-5.5", used)).toBeCloseTo(0.2 * 0.5 + 0.8 * 5, 9)
    const { prices } = pricesWith("[prices.m]\ninput = 1\noutput = 2\ncached_input = 0\ncache_write = 2")
    expect(priceOf(prices, "m", used)).toBeCloseTo(1.6, 9)
  })

  test("are unknown for some models, and for unknown tokens", () => {
    expect(priceOf(builtInPrices, "nobody-1", million)).toBe(null)
    expect(priceOf(builtInPrices, "gpt-5.5", { promptTokens: null, completionTokens: null, cachedTokens: null })).toBe(
      null
    )
  })

  test("of a model are those of its dated versions, as providers name who answered, unless one has its own", () => {
    for (const dated of ["gpt-5.5-2026-04-23", "gpt-5.5-20260423", "gpt-5.5@20260423"]) {
      expect(priceOf(builtInPrices, dated, million)).toBeCloseTo(2.5 + 0.25 + 30, 9)
    }
    const { prices } = pricesWith('[prices."gpt-5.5-2026-04-23"]\ninput = 1\noutput = 2')
    expect(priceOf(prices, "gpt-5.5-2026-04-23", million)).toBeCloseTo(3, 9)
    for (const other of ["gpt-5.5-2026", "gpt-5.5-mini-2026-04-23", "gpt-5.5-preview", "-2026-04-23"]) {
      expect(priceOf(prices, other, million)).toBe(null)
    }
  })

  test("of the user come before the built-in ones; what is no price is left out and named", () => {
    const { prices, problems } = pricesWith(`
      [prices."gpt-5.5"]
      input = 1
      output = 2
      [prices."own.model"]
      input = 10
      output = 0
      cached_input = 1
      [prices.bad]
      input = -1
      output = 2
      [prices.worse]
      input = true
    `)
    expect(priceOf(prices, "gpt-5.5", million)).toBeCloseTo(3, 9)
    expect(priceOf(prices, "own.model", million)).toBeCloseTo(5.5, 9)
    expect(priceOf(prices, "gpt-5.5-pro", million)).not.toBe(null)
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual(['prices."bad"', 'prices."worse"'])
    expect(pricesWith("this is = = no TOML").problems.length).toBe(1)
  })
})

describe("the cost of a run", () => {
  const recorded = (totals: Partial<FinalMetrics> | null) =>
    costOfRun(
      Trajectory.make({
        schema_version: "ATIF-v1.6",
        session_id: "s",
        agent: TrajectoryAgent.make({ name: "a", version: "1" }),
        steps: [TrajectoryStep.make({ step_id: 1, source: "user", message: "" })],
        ...(totals === null ? {} : { final_metrics: FinalMetrics.make(totals) })
      })
    )

  test("is read from its record, with its source", () => {
    const totals = { total_prompt_tokens: 15, total_cost_usd: 0.75, extra: { cost_source: "computed" } }
    expect(recorded(totals)).toMatchObject({ usd: 0.75, source: "computed", promptTokens: 15 })
    expect(recorded({ total_prompt_tokens: 15, extra: { cost_source: "unknown" } })).toMatchObject({ usd: null })
    expect(recorded({ extra: { cost_source: "none" } })).toMatchObject({ usd: 0, source: "none", promptTokens: null })
  })

  test("of an older record is the reported cost, else unknown", () => {
    expect(recorded({ total_prompt_tokens: 15, total_cost_usd: 0.75 })).toMatchObject({ usd: 0.75, source: "reported" })
    expect(recorded({ total_prompt_tokens: 15 })).toMatchObject({ usd: null, source: "unknown" })
    expect(recorded(null)).toMatchObject({ usd: 0, source: "none" })
  })
})

describe("the built-in prices", () => {
  test("include current models of the vendors and dd's defaults", () => {
    for (const model of [
      "claude-sonnet-5",
      "claude-opus-5-5",
      "gpt-5.6-sol",
      "gpt-6-sol",
      "gemini-3.8-flash",
      "glm-5.3"
    ]) {
      expect([model, hasPrice(builtInPrices, model)]).toEqual([model, true])
    }
  })

  test("are stale after half a year or an announced change; the user's never are", () => {
    const { asOf } = builtInPrices
    const after = (days: number) => new Date(Date.parse(asOf) + days * 24 * 60 * 60 * 1000).toISOString()
    expect(staleness(builtInPrices, "claude-sonnet-5-20260901", after(180))).toBe(null)
    expect(staleness(builtInPrices, "claude-sonnet-5-20260901", after(181))).toContain(asOf)
    const changing = { ...builtInPrices, byModel: new Map([...builtInPrices.byModel]) }
    const [model, { until = "" }] = [...changing.byModel].find(([, price]) => price.until !== undefined) ?? ["", {}]
    expect(staleness(changing, model, `${until}T00:00:00Z`)).toContain(until)
    const { prices } = pricesWith('[prices."claude-sonnet-5"]\ninput = 1\noutput = 2')
    expect(staleness(prices, "claude-sonnet-5", after(999))).toBe(null)
    expect(staleness(prices, "nobody-1", after(999))).toBe(null)
  })
})
