import { describe, expect } from "bun:test"
import { builtInProfile, builtInProfiles } from "../../src/prompts/profiles.ts"
import { it } from "../support/effect.ts"

const stacks = ["python", "react", "elixir", "go", "rust", "ios", "typescript", "java", "ruby", "generic", "structure"]

describe("profiles", () => {
  it("are there for every stack dd distinguishes", () => {
    expect([...builtInProfiles.keys()].sort()).toEqual([...stacks].sort())
    expect(builtInProfile("terraform")).toBe(builtInProfile("generic"))
  })

  for (const [stack, text] of builtInProfiles) {
    it(`say what to look for, what not to report and how to prove, in 150 lines: ${stack}`, () => {
      expect(text.split("\n").length).toBeLessThanOrEqual(150)
      for (const part of ["## Look for", "## Do not report", "## How to prove"]) expect(text).toContain(part)
      // What reviewers are told not to write, they are not shown either.
      expect(text.replace(/`[^`]*`/g, "")).not.toMatch(/\bconsider\b|best practice|make sure|ensure\b/i)
    })

    it(`end with an example to report and a similar one not to report: ${stack}`, () => {
      const [, section = ""] = text.split("## Examples\n")
      const [report = "", noReport = ""] = section.split("\nDo not report:")
      // The severities and confidences that the rubric defines.
      expect(report).toMatch(/^\nReport, `(high|medium|low)`, `(HIGH|MEDIUM)`:\n/)
      for (const example of [report, noReport]) {
        const parts = example.split(/```(?:diff\n)?/)
        expect(parts.length).toBe(3)
        const [, diff = "", reason = ""] = parts
        const lines = diff.trimEnd().split("\n")
        expect(lines.length).toBeLessThanOrEqual(10)
        for (const line of lines) expect(line).toMatch(/^[-+ ]/)
        expect(lines.some((line) => line.startsWith("+"))).toBe(true)
        expect(reason.trim().length).toBeGreaterThan(100)
      }
    })
  }
})
