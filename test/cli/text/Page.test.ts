import { describe, expect, test } from "bun:test"
import { folded } from "../../../src/cli/text/Page.ts"

describe("folded", () => {
  test("continues a row of a table in its last column", () => {
    const line = "  --base REF    Compare with this branch or commit (choices: none, low)"
    expect(folded(line, 40).split("\n")).toEqual([
      "  --base REF    Compare with this branch",
      "                or commit (choices:",
      "                none, low)"
    ])
  })

  test("continues prose with the same indentation, and leaves short lines unchanged", () => {
    expect(folded("  Keeps its files in .daydream/", 20)).toBe("  Keeps its files in\n  .daydream/")
    expect(folded("", 20)).toBe("")
    expect(folded("  dd review", 20)).toBe("  dd review")
  })
})
