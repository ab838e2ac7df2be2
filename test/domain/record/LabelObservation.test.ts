import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { nextMicrosecond, outcomeOf, winning, withMicroseconds } from "../../../src/domain/record/LabelObservation.ts"
import { it } from "../../support/effect.ts"

const Said = Schema.Array(
  Schema.Struct({ source: Schema.Literals(["human", "auto"]), observed_at: Schema.Literals(["a", "b", "c", "d"]) })
)

describe("which observation counts", () => {
  it.prop("is a person's where there is one, the newest of its kind, and does not hang on the order", Said, (said) => {
    const best = winning(said)
    expect(best === null).toBe(said.length === 0)
    if (best === null) return
    const rivals = said.filter(({ source }) => source === best.source)
    expect(best.source === "human" || said.every(({ source }) => source === "auto")).toBe(true)
    expect(rivals.every(({ observed_at }) => observed_at <= best.observed_at)).toBe(true)
    expect(winning(said.toReversed())).toMatchObject({ source: best.source, observed_at: best.observed_at })
  })

  test("is the first label of several; none is unknown", () => {
    expect(outcomeOf('["rejected","x"]')).toBe("rejected")
    expect(outcomeOf("[]")).toBe("unknown")
    expect(outcomeOf("not json")).toBe("unknown")
  })
})

describe("moments", () => {
  test("have microseconds, so that as texts they sort as they follow", () => {
    expect(withMicroseconds("2026-01-01T00:00:00Z")).toBe("2026-01-01T00:00:00.000000Z")
    expect(withMicroseconds("2026-01-01T00:00:00.123Z")).toBe("2026-01-01T00:00:00.123000Z")
    expect(withMicroseconds("2026-01-01T00:00:00.123456+00:00")).toBe("2026-01-01T00:00:00.123456Z")
  })

  test("have a next one, over the end of a year too", () => {
    expect(nextMicrosecond("2026-01-01T00:00:00.000009Z")).toBe("2026-01-01T00:00:00.000010Z")
    expect(nextMicrosecond("2025-12-31T23:59:59.999999Z")).toBe("2026-01-01T00:00:00.000000Z")
  })
})
