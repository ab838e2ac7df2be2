import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { confidenceOf, decayed, emitThreshold, isSupported } from "../../../src/domain/dream/confidence.ts"
import { it } from "../../support/effect.ts"

const Count = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
const Given = Schema.Struct({ s: Count, f: Count, more: Count })

describe("confidence", () => {
  it("gives the examples of the seed", () => {
    const rounded = (s: number, f: number) => Number(confidenceOf({ s, f }).toFixed(2))
    expect(confidenceOf({ s: 1, f: 0 })).toBe(emitThreshold)
    expect(rounded(3, 0)).toBe(0.85)
    expect(rounded(12, 0.5)).toBe(0.92)
    // The seed has 0.95 and 0.98 for these two.
    expect(rounded(5, 0)).toBe(0.9)
    expect(rounded(47, 0)).toBe(0.99)
  })

  it("is below the line of eviction after as many failures as successes, and without evidence", () => {
    expect(confidenceOf({ s: 1, f: 1 })).toBeLessThan(0.5)
    expect(confidenceOf({ s: 0, f: 0 })).toBeLessThan(0.5)
  })

  it.prop("stays between 0 and 1, rises with successes and falls with failures", Given, ({ f, more, s }) => {
    const confidence = confidenceOf({ s, f })
    expect(confidence).toBeGreaterThan(0)
    expect(confidence).toBeLessThan(1)
    expect(confidenceOf({ s: s + more, f })).toBeGreaterThanOrEqual(confidence)
    expect(confidenceOf({ s, f: f + more })).toBeLessThanOrEqual(confidence)
  })
})

describe("decay", () => {
  it("halves evidence in 90 days and adds none for days to come", () => {
    expect(decayed({ s: 4, f: 2 }, 90)).toEqual({ s: 2, f: 1 })
    expect(decayed({ s: 4, f: 2 }, -5)).toEqual({ s: 4, f: 2 })
  })

  it.prop("is the same in one step and in two", Given, ({ f, more, s }) => {
    const once = decayed({ s, f }, more)
    const twice = decayed(decayed({ s, f }, more / 2), more / 2)
    expect(twice.s).toBeCloseTo(once.s, 6)
    expect(twice.f).toBeCloseTo(once.f, 6)
  })

  it.prop("brings confidence towards that of no evidence", Given, ({ f, more, s }) => {
    const none = confidenceOf({ s: 0, f: 0 })
    const before = Math.abs(confidenceOf({ s, f }) - none)
    expect(Math.abs(confidenceOf(decayed({ s, f }, more)) - none)).toBeLessThanOrEqual(before + 1e-9)
  })
})

describe("what is emitted", () => {
  it("is what one session has shown without a failure", () => {
    expect(isSupported("RepairPattern", { s: 1, f: 0, sessions: 1, items: 1 })).toBe(true)
    expect(isSupported("RepairPattern", { s: 1, f: 1, sessions: 2, items: 2 })).toBe(false)
  })

  it("is a sequence only if two sessions have it", () => {
    expect(isSupported("SuccessfulSequence", { s: 3, f: 0, sessions: 1, items: 3 })).toBe(false)
    expect(isSupported("SuccessfulSequence", { s: 2, f: 0, sessions: 2, items: 2 })).toBe(true)
  })

  it("is a convention only if five items have it, nine of ten, however old they are", () => {
    const of = (s: number, f: number, items = s + f) => isSupported("ProjectConvention", { s, f, sessions: 1, items })
    expect([of(4, 0), of(5, 0), of(2.5, 0, 5), of(8, 1), of(9, 1)]).toEqual([false, true, true, false, true])
  })
})
