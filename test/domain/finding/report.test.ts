import { describe, expect } from "bun:test"
import { renderReport } from "../../../src/domain/finding/report.ts"
import { it } from "../../support/effect.ts"

describe("a report", () => {
  it("has only the sections that are not empty, in their order", () => {
    const at = { file: "a.py", line: 3 }
    expect(
      renderReport([
        { id: 1, lens: "per-stack", record: { ...at, description: "One" } },
        { id: 2, lens: "cross-stack", record: { ...at, description: "Two\nlines" } },
        { id: 3, lens: "structural", record: { ...at, line: 0, description: "Three" } }
      ])
    ).toBe(
      "# Review\n\n## Structural Review\n\n3. [a.py:0] Three\n\n## Issues\n\n1. [a.py:3] One\n\n## Cross-Stack Issues\n\n2. [cross-stack] [a.py:3] Two lines\n"
    )
    expect(renderReport([])).toBe("# Review\n")
  })
})
