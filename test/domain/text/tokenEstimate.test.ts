import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { tokenEstimate } from "../../../src/domain/text/tokenEstimate.ts"
import { it } from "../../support/effect.ts"

describe("tokenEstimate", () => {
  it("is near what public tokenizers count, and rather above", () => {
    // Counted with o200k.
    for (const [text, counted] of [
      ["The quick brown fox jumps over the lazy dog.", 10],
      ["export const total = (cart: Cart): number => cart.sum", 13],
      ["const isDirectlyIn = getUserById(2026)", 14]
    ] as const) {
      expect(tokenEstimate(text)).toBeGreaterThanOrEqual(counted * 0.8)
      expect(tokenEstimate(text)).toBeLessThanOrEqual(counted * 1.5)
    }
    expect(tokenEstimate("")).toBe(0)
  })

  it.prop(
    "is no less for two texts than for either, and at most their sum and a little",
    Schema.Struct({ a: Schema.String, b: Schema.String }),
    ({ a, b }) => {
      const both = tokenEstimate(`${a}\n${b}`)
      expect(both).toBeLessThanOrEqual(tokenEstimate(a) + tokenEstimate(b) + 2)
      expect(both + 2).toBeGreaterThanOrEqual(Math.max(tokenEstimate(a), tokenEstimate(b)))
    }
  )

  it("counts a megabyte at once", () => {
    expect(tokenEstimate("a1".repeat(500_000))).toBeGreaterThan(500_000)
    expect(tokenEstimate("\u3042".repeat(300_000))).toBeGreaterThanOrEqual(300_000)
  })
})
