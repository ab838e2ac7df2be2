import { describe, expect, test } from "bun:test"
import { joinedLoop } from "../../../src/cli/review/reviewFlags.ts"

describe("--loop", () => {
  for (const [typed, read] of [
    ["review --shallow --loop 3 src", "review --shallow --loop=3 src"],
    ["review --loop src --shallow", "review --loop src --shallow"],
    ["review --loop --shallow 3", "review --loop --shallow 3"],
    ["review --loop 3x", "review --loop 3x"],
    ["review --loop=2 3", "review --loop=2 3"],
    ["review --loop 0", "review --loop=0"],
    ["review --loop", "review --loop"]
  ] as const) {
    test(`takes a number and never a path: ${typed}`, () => {
      expect(joinedLoop(typed.split(" ")).join(" ")).toBe(read)
    })
  }
})
