import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { bigrams, normaliseTitle, similarity } from "../../../src/domain/text/Similarity.ts"
import { it } from "../../support/effect.ts"

describe("similarity", () => {
  it("scores the reference's pairs as the reference does", () => {
    const scored: ReadonlyArray<[string, string, number]> = [
      ["Missing null check in parser", "Null check missing in the parser", 0.92],
      ["SQL injection in login handler", "Login handler is vulnerable to SQL injection", 0.6571],
      ["Race condition in cache", "Race condition in the cache layer", 0.7619],
      ["Unused import os", "Unused variable x", 0.24]
    ]
    for (const [a, b, score] of scored) expect(similarity(a, b)).toBeCloseTo(score, 4)
  })

  it("does not call two empty sentences alike", () => {
    expect(similarity("", "")).toBe(0)
    expect(similarity("the of", "…")).toBe(0)
  })

  it("compares a single letter as itself", () => {
    expect(bigrams("x")).toEqual(new Set(["x"]))
    expect(similarity("x", "X!")).toBe(1)
  })

  it("drops stop words, case and punctuation", () => {
    expect(normaliseTitle("The cache, in `Parser::run()` is\tNOT  locked")).toBe("cache parser run not locked")
  })

  it.prop("is symmetric and stays between 0 and 1", Schema.Tuple([Schema.String, Schema.String]), ([a, b]) => {
    const score = similarity(a, b)
    expect(score).toBe(similarity(b, a))
    expect(score).toBeGreaterThanOrEqual(0)
    expect(score).toBeLessThanOrEqual(1)
  })
})
