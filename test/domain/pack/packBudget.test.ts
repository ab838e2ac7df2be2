import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { answerTokens, type ModelRoom } from "../../../src/domain/pack/ModelRoom.ts"
import { budgetPlan, packBudget } from "../../../src/domain/pack/packBudget.ts"
import { it } from "../../support/effect.ts"

describe("the budget of a pack", () => {
  it("leaves room for the question and the protocol, and is never below the least", () => {
    expect(packBudget(272_000, "")).toBe(272_000 - 12_000 - 2_048)
    expect(packBudget(272_000, "x".repeat(30_000))).toBe(272_000 - 12_000 - 10_000)
    expect(packBudget(5_000, "")).toBe(4_096)
  })

  const room = (contextTokens: number): ModelRoom => ({ contextTokens, outputTokens: contextTokens })

  it("is what the seed's formula gives", () => {
    const plan = (over: Partial<Parameters<typeof budgetPlan>[0]>) =>
      budgetPlan({ room: null, given: null, mostPack: null, ...over }, "why?")
    expect(plan({})).toEqual({ source: "default", contextTokens: null, requested: 272_000, pack: 257_952 })
    expect(plan({ room: room(200_000) })).toMatchObject({ source: "model", requested: 136_000, pack: 121_952 })
    expect(plan({ room: room(1_000_000) })).toMatchObject({ source: "model", requested: 750_000, pack: 735_952 })
    expect(plan({ given: 50_000 })).toMatchObject({ source: "manual", requested: 50_000, pack: 35_952 })
    expect(plan({ room: room(32_768), given: 500_000 }).requested).toBe(32_768 - 8_192)
    expect(plan({ mostPack: 10_000 }).pack).toBe(10_000)
  })

  const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000_000 }))
  const Given = Schema.Struct({
    room: Schema.NullOr(Schema.Struct({ contextTokens: count, outputTokens: count })),
    given: Schema.NullOr(count),
    mostPack: Schema.NullOr(count),
    query: Schema.String
  })
  it.prop("leaves the longest answer its place in the context, and exceeds no limit", Given, ({ query, ...limits }) => {
    const { pack, requested } = budgetPlan(limits, query)
    if (limits.room !== null) {
      expect(requested + answerTokens(limits.room)).toBeLessThanOrEqual(limits.room.contextTokens)
    }
    if (limits.given !== null) expect(requested).toBeLessThanOrEqual(limits.given)
    if (limits.mostPack !== null) expect(pack).toBeLessThanOrEqual(limits.mostPack)
    expect(pack).toBeLessThanOrEqual(Math.max(4_096, requested - 14_048))
    const longer = budgetPlan(limits, `${query}${"x".repeat(9_000)}`)
    expect(longer.pack).toBeLessThanOrEqual(pack)
  })
})
