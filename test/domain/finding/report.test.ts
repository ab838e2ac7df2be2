import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { parseReport, renderReport, renderStackReport } from "../../../src/domain/finding/report.ts"
import { record } from "../../support/builders.ts"
import { it } from "../../support/effect.ts"

const Words = Schema.Array(Schema.Literals(["leaks", "a", "handle:", "(high)", "[x]", "1.", "null", "—"])).check(
  Schema.isMinLength(1)
)

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

  it.prop("of a reviewer reads back as the records it was made of", Words, (words) => {
    const given = [record({ id: 7, severity: "high", confidence: "LOW", description: words.join(" ") })]
    const read = parseReport(renderStackReport("python", given))
    expect(
      read.map(({ id, file, line, severity, confidence, description }) => ({
        id,
        file,
        line,
        severity,
        confidence,
        description
      }))
    ).toEqual([{ id: 7, file: "src/a.py", line: 2, severity: "high", confidence: "LOW", description: words.join(" ") }])
  })

  it("reads lines without a rating as medium, and prose as nothing", () => {
    const read = parseReport(
      "# Review\n\nLooks fine to me.\n1. [a.py:3] A claim\n- [b.py:1] not numbered\n2. no place\n"
    )
    expect(read.map(({ file, severity, confidence }) => [file, severity, confidence])).toEqual([
      ["a.py", "medium", "MEDIUM"]
    ])
  })
})
