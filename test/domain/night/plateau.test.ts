import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { observed } from "../../../src/domain/night/plateau.ts"
import { it } from "../../support/effect.ts"
import vectors from "../../support/night/vectors.json" with { type: "json" }

/** From 1: at which of these a plateau is reached. */
const firesAt = (deltas: ReadonlyArray<number>, epsilon: number, window: number): ReadonlyArray<number> => {
  let streak = 0
  return deltas.flatMap((delta, at) => {
    const next = observed(streak, delta, { epsilon, window })
    streak = next.streak
    return next.isPlateau ? [at + 1] : []
  })
}

describe("plateau", () => {
  it("is reached where the vectors of the contract have it, and again after a rescue", () => {
    for (const { deltas, eps, fires_at, fires_at_dd, k } of vectors.plateau) {
      expect(firesAt(deltas, eps, k)).toEqual(fires_at_dd ?? fires_at ?? [])
    }
  })

  it("takes two iterations at least", () => {
    expect(firesAt([0, 0], 0.01, 1)).toEqual([2])
    expect(firesAt([0, 0], 0.01, 0)).toEqual([2])
  })

  const Run = Schema.Struct({
    deltas: Schema.Array(Schema.Literals([0, 0.005, -0.005, 0.01, -0.2])),
    window: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 4 }))
  })

  it.prop("is reached exactly after `window` small changes since the last one", Run, ({ deltas, window }) => {
    const expected: Array<number> = []
    let start = 0
    for (let end = 1; end <= deltas.length; end++) {
      const small = deltas.slice(Math.max(start, end - window), end).every((delta) => Math.abs(delta) < 0.01)
      if (end - start < window || !small) continue
      expected.push(end)
      start = end
    }
    expect(firesAt(deltas, 0.01, window)).toEqual(expected)
  })
})
