import { describe, expect } from "bun:test"
import { Schema } from "effect"
import {
  addUsage,
  costOfCall,
  countUsage,
  noCallUsage,
  totalUsage,
  type Usage,
  usageMissing
} from "../../../src/domain/agent/Usage.ts"
import { AgentEvent } from "../../../src/domain/run/AgentEvent.ts"
import { it } from "../../support/effect.ts"

const timestamp = "2026-01-01T00:00:00.000Z"
const known = { timestamp, cachedTokens: 2, reasoningTokens: 1, costUsd: 0.5, model: null }
const turn = (messageId: string, promptTokens: number, completionTokens = 3) =>
  AgentEvent.make({ _tag: "Metrics", messageId, promptTokens, completionTokens, ...known })
const closing = (promptTokens: number, completionTokens: number, costUsd: number | null = 1) =>
  AgentEvent.make({ _tag: "Cost", promptTokens, completionTokens, ...known, costUsd })
const total = (...events: ReadonlyArray<AgentEvent>) => totalUsage(events.reduce(countUsage, noCallUsage))

const some = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })))
const usage = Schema.Struct({
  promptTokens: some,
  completionTokens: some,
  cachedTokens: some,
  cacheWrittenTokens: some,
  reasoningTokens: some,
  costUsd: some
})

describe("the usage of a call", () => {
  it("counts a token once when turns and a closing total both contain it", () => {
    expect(total(turn("", 10), turn("", 10), closing(20, 6))).toEqual({
      promptTokens: 20,
      completionTokens: 6,
      cachedTokens: 4,
      cacheWrittenTokens: null,
      reasoningTokens: 2,
      costUsd: 1
    })
  })

  it("counts what only the closing total contains", () => {
    expect(total(turn("", 10), closing(25, 3))).toMatchObject({ promptTokens: 25, completionTokens: 3 })
  })

  it("counts a message once however often it is measured in a row", () => {
    expect(total(turn("m1", 10, 1), turn("m1", 10, 7), turn("m2", 5))).toMatchObject({
      promptTokens: 15,
      completionTokens: 10
    })
  })

  it("does not take the unknown for zero", () => {
    expect(total()).toMatchObject({ promptTokens: null, costUsd: null })
    expect(total(closing(1, 1, null)).costUsd).toBeNull()
  })

  it.prop("adds up in any order", Schema.Tuple([usage, usage]), ([a, b]: readonly [Usage, Usage]) => {
    expect(addUsage(a, b)).toEqual(addUsage(b, a))
  })

  it.prop("with what is missing is no less than the total", Schema.Tuple([usage, usage]), ([whole, counted]) => {
    const sum = addUsage(counted, usageMissing(whole, counted))
    for (const key of Object.keys(whole) as ReadonlyArray<keyof Usage>) {
      expect(sum[key]).toBe(whole[key] === null ? counted[key] : Math.max(whole[key], counted[key] ?? 0))
    }
  })
})

describe("the cost of a call", () => {
  const none = { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null }
  const begins = AgentEvent.make({ _tag: "Metrics", timestamp, messageId: "", ...none, costUsd: null, model: null })
  const priced = (messageId: string, costUsd: number | null, costSource: "reported" | "computed" | "provisional") =>
    AgentEvent.make({
      _tag: "Metrics",
      messageId,
      promptTokens: 10,
      completionTokens: 1,
      ...known,
      costUsd,
      costSource
    })
  const failed = AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason: "failed" })
  const cost = (...events: ReadonlyArray<AgentEvent>) => costOfCall(events.reduce(countUsage, noCallUsage))

  it("is zero without a request, and unknown while a turn has reported nothing", () => {
    expect(cost()).toEqual({ usd: 0, source: "none" })
    expect(cost(begins)).toEqual({ usd: null, source: "unknown" })
    expect(cost(begins, priced("m1", 2, "computed"))).toEqual({ usd: 2, source: "computed" })
    expect(cost(begins, begins, priced("m1", 2, "computed"))).toEqual({ usd: null, source: "unknown" })
    expect(cost(begins, failed, begins, priced("m1", 2, "computed"))).toEqual({ usd: null, source: "unknown" })
    // A total without tokens tells nothing of the turn.
    expect(cost(begins, closing(0, 0, null))).toEqual({ usd: null, source: "unknown" })
  })

  it("does not include a turn that was announced and never sent", () => {
    const unsent = AgentEvent.make({
      _tag: "Metrics",
      timestamp,
      messageId: "",
      ...none,
      promptTokens: 0,
      completionTokens: 0,
      costUsd: 0,
      model: null
    })
    expect(cost(begins, unsent)).toEqual({ usd: 0, source: "none" })
    expect(total(begins, unsent)).toMatchObject({ promptTokens: null, completionTokens: null })
    expect(cost(begins, unsent, failed, begins, unsent)).toEqual({ usd: 0, source: "none" })
    expect(cost(begins, priced("m1", 2, "computed"), begins, unsent)).toEqual({ usd: 2, source: "computed" })
    expect(cost(begins, unsent, begins)).toEqual({ usd: null, source: "unknown" })
  })

  it("is the reported total, in place of the computed costs of its turns", () => {
    const turns = [begins, priced("m1", 2, "provisional"), priced("m2", 3, "provisional")]
    expect(cost(...turns)).toEqual({ usd: 5, source: "computed" })
    expect(cost(...turns, closing(20, 2, 0.5))).toEqual({ usd: 0.5, source: "reported" })
  })

  it("includes a part that failed and the part that answered instead", () => {
    const replaced = [begins, priced("m1", 2, "provisional"), failed, begins, priced("m2", 3, "reported")]
    expect(cost(...replaced, closing(10, 1, 3))).toEqual({ usd: 5, source: "computed" })
    expect(total(...replaced).promptTokens).toBe(20)
  })

  it("counts a growing message once, with the price it gets later", () => {
    expect(cost(priced("m1", null, "reported"), priced("m1", 2, "computed"), priced("m1", 3, "computed"))).toEqual({
      usd: 3,
      source: "computed"
    })
    expect(cost(priced("m1", null, "reported"), priced("m2", 2, "computed")).usd).toBe(null)
  })
})
