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
  test("continues below the other columns, with closed gaps, where the last column has no room", () => {
    expect(folded("  java/boxed-number      high    Numbers are compared by reference", 40).split("\n")).toEqual([
      "  java/boxed-number  high  Numbers are",
      "    compared by reference"
    ])
    expect(folded("  ok  home   /home/someone/with/a/long/name/.daydream, readable", 40).split("\n")).toEqual([
      "  ok  home",
      "    /home/someone/with/a/long/name/.daydream,",
      "    readable"
    ])
  })

  test("continues an item of a list below its first word", () => {
    expect(folded("- one two three", 10)).toBe("- one two\n  three")
    expect(folded("1. one two three", 11)).toBe("1. one two\n   three")
  })

  test("measures without colours", () => {
    expect(folded("\u001b[33mone\u001b[0m two", 7)).toBe("\u001b[33mone\u001b[0m two")
  })

  test("keeps a sign beside a path that is wider than the page, and leaves no empty line before the path", () => {
    const path = `src/${"deep/".repeat(10)}a.py:3`
    expect(folded(`  --> ${path}`, 40)).toBe(`  --> ${path}`)
    expect(folded(`\u001b[1m    \u001b[0m${path}`, 40)).toBe(`\u001b[1m    \u001b[0m${path}`)
  })
})
