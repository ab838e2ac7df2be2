import { describe, expect } from "bun:test"
import { nearestPaths } from "../../../src/domain/change/nearestPaths.ts"
import { it } from "../../support/effect.ts"

const known = [
  "src/app/base.ts",
  "src/lib/base.ts",
  "src/lib/Basic.ts",
  "test/app/base.test.ts",
  "README.md",
  "docs/a.md"
]

describe("nearestPaths", () => {
  it("offers the same name in other folders, nearest first", () => {
    expect(nearestPaths("src/lib/deep/base.ts", known).slice(0, 2)).toEqual(["src/lib/base.ts", "src/app/base.ts"])
    expect(nearestPaths("app/base.ts", known)[0]).toBe("src/app/base.ts")
  })

  it("sees through case, endings and a slip of the finger", () => {
    expect(nearestPaths("readme.MD", known)).toEqual(["README.md"])
    expect(nearestPaths("src/lib/Basic.js", known)).toEqual(["src/lib/Basic.ts"])
    expect(nearestPaths("src/app/bsse.ts", known)[0]).toBe("src/app/base.ts")
  })

  it("offers nothing rather than anything, and at most three", () => {
    expect(nearestPaths("nowhere.py", known)).toEqual([])
    expect(nearestPaths("", known)).toEqual([])
    expect(
      nearestPaths(
        "base.ts",
        Array.from({ length: 50 }, (_, at) => `d${at}/base.ts`)
      ).length
    ).toBe(3)
  })
})
