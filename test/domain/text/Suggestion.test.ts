import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { allNear, editDistance, nearest } from "../../../src/domain/text/Suggestion.ts"
import { it } from "../../support/effect.ts"

describe("did you mean", () => {
  test("finds the name that was mistyped", () => {
    expect(nearest("arbitre", ["intent", "arbiter"])).toBe("arbiter")
    expect(nearest("Deep", ["deep", "shallow"])).toBe("deep")
    expect(nearest("cross-stak-merge", ["single-stack-merge", "cross-stack-merge"])).toBe("cross-stack-merge")
  })

  test("reports nothing when nothing is near", () => {
    expect(nearest("zebra", ["intent", "arbiter"])).toBe(null)
    expect(nearest("x", [])).toBe(null)
    expect(nearest("gpt", ["pi", "codex"])).toBe(null)
    expect(nearest("a".repeat(100_000), ["intent"])).toBe(null)
  })

  test("offers several names, the closest first, and otherwise in the given order", () => {
    expect(allNear("total", ["tonal", "totals", "cart", "totally", "TOTAL"])).toEqual([
      "TOTAL",
      "tonal",
      "totals",
      "totally"
    ])
  })

  const Word = Schema.Array(Schema.Literals(["a", "b", "c"]))

  it.prop("counts edits the same in both directions", Schema.Struct({ a: Word, b: Word }), ({ a, b }) => {
    const [left, right] = [a.join(""), b.join("")]
    expect(editDistance(left, right)).toBe(editDistance(right, left))
    expect(editDistance(left, right) === 0).toBe(left === right)
    expect(editDistance(left, right)).toBeLessThanOrEqual(Math.max(left.length, right.length))
  })
})
