import { describe, expect } from "bun:test"
import { renderGitLab } from "../../../../src/cli/review/render/GitLab.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult } from "../../../support/hostileReview.ts"
import { hostileText } from "../../../support/hostileText.ts"
import { breachesOf } from "../../../support/jsonSchema.ts"
import { cleanResult, present, sampleResult } from "../../../support/sampleReview.ts"

/** The properties GitLab's documentation asks of a Code Quality report. */
const breaches = breachesOf({
  type: "array",
  items: {
    type: "object",
    required: ["description", "check_name", "fingerprint", "severity", "location"],
    additionalProperties: false,
    properties: {
      description: { type: "string", minLength: 1 },
      check_name: { type: "string", minLength: 1 },
      fingerprint: { type: "string", minLength: 1 },
      severity: { enum: ["info", "minor", "major", "critical", "blocker"] },
      location: {
        type: "object",
        required: ["path", "lines"],
        additionalProperties: false,
        properties: {
          path: { type: "string", minLength: 1, not: { pattern: "^\\.?/" } },
          lines: {
            type: "object",
            required: ["begin"],
            additionalProperties: false,
            properties: { begin: { type: "integer", minimum: 1 } }
          }
        }
      }
    }
  }
})

const report = (result = sampleResult) => JSON.parse(renderGitLab(present(result)))

describe("the Code Quality report", () => {
  it("has the shape GitLab documents", () => {
    expect(breaches(report())).toEqual([])
    expect(report(cleanResult)).toEqual([])
    expect(report()[0]).toEqual({
      description: "A default argument is shared by all calls",
      check_name: "py/mutable-default",
      fingerprint: "dd1:1111111111111111",
      severity: "critical",
      location: { path: "billing/invoice.py", lines: { begin: 42 } }
    })
  })

  it.prop("has its shape whatever text the repository contains", hostileText, (pieces) => {
    const text = pieces.join("")
    // A path that is empty once it is stripped, or begins with "./", is not one git gives.
    if (text.trim() !== "") expect(breaches(report(hostileResult(`f${text}`)))).toEqual([])
  })

  it("has its shape and distinct fingerprints in a large review that is not complete", () => {
    const findings = Array.from({ length: 3_000 }, (_, index) => ({
      ...sampleResult.findings[index % 7]!,
      id: index + 1,
      line: index % 50,
      endLine: index % 50
    }))
    const entries = report({ ...sampleResult, status: "partial", findings })
    expect(breaches(entries)).toEqual([])
    expect(entries[0].check_name).toBe("dd/not-whole")
    expect(new Set(entries.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size).toBe(3_001)
  })

  it.prop("has distinct fingerprints whatever the files are called", hostileText, (pieces) => {
    const { findings, ...rest } = hostileResult(`f${pieces.join("")}`)
    const entries = report({ ...rest, findings: [...findings, ...findings] })
    const prints = entries.map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    expect(new Set(prints).size).toBe(prints.length)
  })

  it("begins at line 1 when a finding is about the file as a whole", () => {
    const whole = { ...sampleResult.findings[0]!, line: 0, endLine: 0 }
    expect(report({ ...sampleResult, findings: [whole] })[0].location.lines).toEqual({ begin: 1 })
  })

  it("has a distinct fingerprint for each finding, which survives moved lines", () => {
    const one = sampleResult.findings[0]!
    const at = (...lines: ReadonlyArray<number>): ReadonlyArray<string> =>
      report({
        ...sampleResult,
        findings: lines.map((line, index) => ({ ...one, id: index + 1, line, endLine: line }))
      }).map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    expect(new Set(at(3, 9, 12)).size).toBe(3)
    expect(at(3, 9, 12)).toEqual(at(103, 109, 112))
  })
})
