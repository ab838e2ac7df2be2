import { describe, expect, test } from "bun:test"
import { fixLines } from "../../../../src/cli/review/render/FixLines.ts"
import { noFixes } from "../../../../src/domain/fix/FixReport.ts"
import { sampleContext, sampleResult } from "../../../support/sampleReview.ts"

const linesOf = (fix: object) => fixLines({ ...sampleResult, fix: { ...noFixes, ...fix } }, sampleContext)?.lines

describe("the lines about fixes", () => {
  test("warn with both numbers, and name what agents changed beside their files", () => {
    expect(
      linesOf({
        quality: [
          { path: "a.py", measure: "complexity", before: 3, after: 12, fixed: 1 },
          { path: "a.py", measure: "verbosity", before: 1, after: 80, fixed: 2 }
        ],
        outside: ["b.py"]
      })
    ).toEqual([
      "Warning: a.py: its complexity rises from 3 to 12 for 1 finding fixed",
      "Warning: a.py: 80 lines added and 1 removed for 2 findings fixed",
      "Not taken: what agents changed in 1 file: b.py",
      "Nothing was changed"
    ])
  })

  test("say where the working tree had the fixes already", () => {
    expect(linesOf({ patch: "applied" })).toEqual(["Nothing was changed: the working tree has these fixes already"])
  })
})
