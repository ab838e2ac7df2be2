import { describe, expect } from "bun:test"
import { Schema } from "effect"
import {
  fullBudget,
  readBudget,
  resetBudget,
  withoutRescue,
  writtenBudget
} from "../../../src/domain/night/warnOnly.ts"
import { it } from "../../support/effect.ts"
import vectors from "../../support/night/vectors.json" with { type: "json" }

const at = "2026-01-31T01:30:00Z"

describe("the budget of rescues", () => {
  it("is read from any file as the vectors of the contract have it", () => {
    for (const { file, note, remaining } of vectors.warn_only_budget) {
      const text = file === null || typeof file === "string" ? file : JSON.stringify(file)
      const read = readBudget(text)
      expect(read.budget.remaining).toBe(remaining)
      expect(read.note !== null).toBe(note)
    }
  })

  it("is three if the file is of another kind", () => {
    for (const text of [
      "",
      "null",
      "[]",
      '{"remaining":"2","initial_budget":3}',
      '{"remaining":1,"initial_budget":-1}'
    ]) {
      expect(readBudget(text)).toMatchObject({ budget: { remaining: 3, initial_budget: 3 }, note: expect.any(String) })
    }
  })

  it("is used up by rescues and restored by a reset", () => {
    const once = withoutRescue(fullBudget(), at)
    expect(once).toMatchObject({ remaining: 2, initial_budget: 3, last_decrement_at: at })
    const used = withoutRescue(withoutRescue(withoutRescue(once, at), at), at)
    expect(used.remaining).toBe(0)
    expect(resetBudget(used, at)).toMatchObject({ remaining: 3, initial_budget: 3, last_reset_at: at })
    expect(resetBudget(used, at, 5)).toMatchObject({ remaining: 5, initial_budget: 5 })
  })

  const Count = Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 6 }))
  const Counts = Schema.Struct({ remaining: Count, initial_budget: Count })

  it.prop("is read as it was written, if it makes sense", Counts, (counts) => {
    const budget = { ...fullBudget(), ...counts, last_reset_at: at }
    const makesSense = budget.initial_budget >= 0 && budget.remaining >= 0 && budget.remaining <= budget.initial_budget
    const read = readBudget(writtenBudget(budget))
    expect(read.note === null).toBe(makesSense)
    if (makesSense) expect(read.budget).toEqual(budget)
    expect(read.budget.remaining).toBeGreaterThanOrEqual(0)
    expect(read.budget.remaining).toBeLessThanOrEqual(read.budget.initial_budget)
  })
})
