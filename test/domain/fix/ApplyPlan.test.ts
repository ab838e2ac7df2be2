import { describe, expect, test } from "bun:test"
import { type PlannedState, remainderOf, stateOf } from "../../../src/domain/fix/ApplyPlan.ts"

const bytes = (text: string | null) => (text === null ? null : new TextEncoder().encode(text))

describe("what a killed run left", () => {
  test("a file that is absent has a state of its own", () => {
    const created = { path: "a", before: null, after: bytes("new") }
    expect([null, "new", "", "mine"].map((text) => stateOf(created, bytes(text)))).toEqual([
      "before",
      "after",
      "other",
      "other"
    ])
  })

  test("is undone only where some files were changed and none was edited since", () => {
    const words: ReadonlyArray<PlannedState> = ["before", "after", "other"]
    for (const a of words) {
      for (const b of words) {
        const expected =
          a === "other" || b === "other" ? "edited" : a !== b ? "partial" : a === "after" ? "complete" : "untouched"
        expect(remainderOf([a, b])).toBe(expected)
      }
    }
  })
})
