import { describe, expect, test } from "bun:test"
import { builtInPrices, priceOf, pricesWith } from "../../src/domain/Prices.ts"
import { costOfRun } from "../../src/domain/RunCost.ts"
import { StepMetrics, Trajectory, TrajectoryAgent, TrajectoryStep } from "../../src/domain/Trajectory.ts"

const million = { promptTokens: 1_000_000, completionTokens: 1_000_000, cachedTokens: 500_000 }

describe("prices", () => {
  test("count cached tokens at their own price, and never more of them than there were", () => {
    expect(priceOf(builtInPrices, "gpt-5.5", million)).toBeCloseTo(2.5 + 0.25 + 30, 9)
    expect(priceOf(builtInPrices, "gpt-5.5", { ...million, cachedTokens: 9_000_000 })).toBeCloseTo(0.5 + 30, 9)
  })

  test("count what is written to a cache at its own price, where a provider charges more for it", () => {
    const used = { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 200_000, cacheWrittenTokens: 800_000 }
    expect(priceOf(builtInPrices, "claude-sonnet-5", used)).toBeCloseTo(0.2 * 0.3 + 0.8 * 3.75, 9)
    expect(priceOf(builtInPrices, "gpt-5.5", used)).toBeCloseTo(0.2 * 0.5 + 0.8 * 5, 9)
    const { prices } = pricesWith("[prices.m]\ninput = 1\noutput = 2\ncached_input = 0\ncache_write = 2")
    expect(priceOf(prices, "m", used)).toBeCloseTo(1.6, 9)
  })

  test("do not know every model, nor what unknown tokens cost", () => {
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

const trajectory = (model: string, ...metrics: ReadonlyArray<Partial<StepMetrics> | null>) =>
  Trajectory.make({
    schema_version: "ATIF-v1.6",
    session_id: "s",
    agent: TrajectoryAgent.make({ name: "a", version: "1", model_name: model }),
    steps: [
      TrajectoryStep.make({ step_id: 1, source: "user", message: "" }),
      ...metrics.map((each, n) =>
        TrajectoryStep.make({
          step_id: n + 2,
          source: "agent",
          message: "",
          ...(each === null ? {} : { metrics: StepMetrics.make(each) })
        })
      )
    ]
  })

describe("the cost of a run", () => {
  test("is what the backend reported, of the run and its siblings, each once", () => {
    const all = [
      trajectory("x", { cost_usd: 0.5, prompt_tokens: 10 }),
      trajectory("x", { cost_usd: 0.25, prompt_tokens: 5 })
    ]
    expect(costOfRun(all, builtInPrices)).toMatchObject({ usd: 0.75, source: "reported", promptTokens: 15 })
  })

  test("is computed where nothing was reported, and unknown where one step has no price: never zero", () => {
    const tokens = { prompt_tokens: 1_000_000, completion_tokens: 0 }
    expect(costOfRun([trajectory("gpt-5.5", tokens)], builtInPrices)).toMatchObject({ usd: 5, source: "prices" })
    const mixed = [trajectory("gpt-5.5", tokens), trajectory("nobody-1", { prompt_tokens: 1 })]
    expect(costOfRun(mixed, builtInPrices)).toMatchObject({ usd: null, source: "unknown", promptTokens: 1_000_001 })
  })

  test("counts what was written to a cache, as the record tells it", () => {
    const written = { prompt_tokens: 1_000_000, completion_tokens: 0, extra: { cache_written_tokens: 1_000_000 } }
    expect(costOfRun([trajectory("claude-sonnet-5", written)], builtInPrices).usd).toBeCloseTo(3.75, 9)
  })

  test("is nothing where no model was asked", () => {
    expect(costOfRun([trajectory("", null)], builtInPrices)).toMatchObject({
      usd: 0,
      source: "none",
      promptTokens: null
    })
  })
})
