import { describe, expect } from "bun:test"
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
import { mostResults, renderSarif } from "../../../../src/cli/review/render/Sarif.ts"
import type { ReviewResult } from "../../../../src/domain/review/ReviewResult.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult } from "../../../support/hostileReview.ts"
import { hostileText } from "../../../support/hostileText.ts"
import { breachesOf } from "../../../support/jsonSchema.ts"
import { cleanResult, present, sampleContext, sampleResult } from "../../../support/sampleReview.ts"

const breaches = breachesOf(sarifSchema)
const log = (result: ReviewResult) => JSON.parse(renderSarif(present(result), sampleContext))
const run = (result: ReviewResult) => log(result).runs[0]
const partial: ReviewResult = {
  ...cleanResult,
  status: "partial",
  degraded: [{ step: "arbiter", error: "BackendFailed", detail: "the model refused" }],
  coverage: { filesInDiff: 1, filesReviewed: 0, files: [{ path: "a b.py", status: "unread", reason: "too large" }] }
}

describe("the SARIF log", () => {
  it("is valid SARIF 2.1.0", () => {
    for (const result of [sampleResult, cleanResult, partial]) expect(breaches(log(result))).toEqual([])
  })

  it.prop("is valid whatever the repository and the model contain", hostileText, (pieces) => {
    expect(breaches(log(hostileResult(pieces.join(""))))).toEqual([])
  })

  it("is refused by the schema when it is not SARIF", () => {
    expect(breaches({ ...log(sampleResult), version: "2.0.0" })).not.toEqual([])
    expect(breaches({ ...log(sampleResult), surprise: true })).not.toEqual([])
  })

  it("maps severities to levels, and every result to its rule", () => {
    const { results, tool } = run(sampleResult)
    expect(results.map((result: { level: string }) => result.level)).toEqual(
      "error error error warning warning warning note note".split(" ")
    )
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
  })

  it("links a rule only to documentation over https", () => {
    const rules: ReadonlyArray<{ id: string; helpUri?: string }> = run(sampleResult).tool.driver.rules
    expect(rules.find(({ id }) => id === "py/mutable-default")?.helpUri).toStartWith("https://docs.python.org/")
    expect(rules.find(({ id }) => id === "meta/debug-print")?.helpUri).toBeUndefined()
  })

  it("has a security severity only on rules about weaknesses that an attacker can use", () => {
    const one = sampleResult.findings[0]!
    const findings = [
      { ...one, id: 1, rule: "go/sql", severity: "medium" as const },
      { ...one, id: 2, rule: "go/sql", severity: "high" as const },
      { ...one, id: 3, rule: "secret/x", severity: "low" as const },
      { ...one, id: 4, rule: "go/unused" }
    ]
    const words = { title: "T", why: "W.", fix: "F." }
    const context = {
      ...sampleContext,
      rule: (id: string) => ({ ...words, reference: id === "go/sql" ? "CWE-89" : "CWE-561" })
    }
    const { rules } = JSON.parse(renderSarif(present({ ...sampleResult, findings, suppressed: [] }), context)).runs[0]
      .tool.driver
    expect(
      rules.map((rule: { id: string; properties?: Record<string, string> }) => [
        rule.id,
        rule.properties?.["security-severity"]
      ])
    ).toEqual([
      ["go/sql", "8.0"],
      ["go/unused", undefined],
      ["secret/x", "2.0"]
    ])
  })

  it("has the fix of a rule as a replacement of lines, and none of a model", () => {
    const withFix = (change: object) => ({
      ...sampleResult,
      findings: [{ ...sampleResult.findings[0]!, line: 3, endLine: 4, ...change }],
      suppressed: []
    })
    const fixOf = (change: object) => run(withFix(change)).results[0].fixes?.[0].artifactChanges[0].replacements[0]
    expect(fixOf({ suggestion: "a\n\tb" })).toEqual({
      deletedRegion: { startLine: 3, endLine: 4 },
      insertedContent: { text: "a\n\tb" }
    })
    expect(fixOf({ suggestion: "" })).toEqual({
      deletedRegion: { startLine: 3, startColumn: 1, endLine: 5, endColumn: 1 }
    })
    expect(fixOf({ suggestion: "a", source: "model" })).toBeUndefined()
    expect(fixOf({ suggestion: null })).toBeUndefined()
    for (const suggestion of ["a\nb", ""]) expect(breaches(log(withFix({ suggestion })))).toEqual([])
  })

  it("has regions with columns, and related places with messages", () => {
    const related = [
      { file: "b.py", line: 7, column: 2, endColumn: 4, message: "called here" },
      { file: "c.py", line: 1, column: null, endColumn: null, message: "defined here" },
      { file: "d.py", line: 3, column: null, endColumn: null, message: "removed here", deleted: " gone()" }
    ]
    const one = { ...sampleResult.findings[0]!, column: 5, endColumn: 9, related }
    const result = { ...sampleResult, findings: [one], suppressed: [] }
    expect(breaches(log(result))).toEqual([])
    const [{ locations, relatedLocations }] = run(result).results
    expect(locations[0].physicalLocation.region).toEqual({ startLine: 42, startColumn: 5, endLine: 42, endColumn: 9 })
    expect(relatedLocations.map((place: { message: object }) => place.message)).toEqual([
      { text: "called here" },
      { text: "defined here" },
      { text: "removed here: gone()" }
    ])
    expect(relatedLocations[0].physicalLocation.region).toEqual({
      startLine: 7,
      startColumn: 2,
      endLine: 7,
      endColumn: 4
    })
    expect(relatedLocations[1].physicalLocation.region).toEqual({ startLine: 1, endLine: 1 })
    expect(relatedLocations[2].physicalLocation.region).toBeUndefined()
  })

  it("keeps fingerprints when lines move, and distinguishes two equal findings", () => {
    const one = sampleResult.findings[0]!
    const moved = run({ ...sampleResult, findings: [{ ...one, line: 99, endLine: 99 }], suppressed: [] })
    expect(moved.results[0].partialFingerprints["dd/v1"]).toBe(one.fingerprint)
    const twice = run({ ...sampleResult, findings: [one, { ...one, id: 2, line: 50, endLine: 50 }], suppressed: [] })
    const keys = twice.results.map(
      (result: { partialFingerprints: Record<string, string> }) => result.partialFingerprints
    )
    expect(keys[0]["dd/v1"]).toBe(keys[1]["dd/v1"])
    expect(keys[0]["ddPrimaryLocation/v1"]).not.toBe(keys[1]["ddPrimaryLocation/v1"])
  })

  it("encodes paths, and has no region for a file as a whole", () => {
    const odd = { ...sampleResult.findings[0]!, file: "src/a b/ünï#?%:.py", line: 0, endLine: 0 }
    const { physicalLocation } = run({ ...sampleResult, findings: [odd] }).results[0].locations[0]
    expect(physicalLocation.artifactLocation).toEqual({
      uri: "src/a%20b/%C3%BCn%C3%AF%23%3F%25%3A.py",
      uriBaseId: "%SRCROOT%"
    })
    expect(physicalLocation.region).toBeUndefined()
  })

  it("leads to files whose names are not text, and never out of the repository", () => {
    const uriOf = (file: string) =>
      run({ ...sampleResult, findings: [{ ...sampleResult.findings[0]!, file }] }).results[0].locations[0]
        .physicalLocation.artifactLocation.uri
    expect(["src/a\tb.py", "src/caf\\xe9.py"].map(uriOf)).toEqual(["src/a%09b.py", "src/caf%E9.py"])
    expect(uriOf("\\x2e\\x2e/etc")).toBe("%5Cx2e%5Cx2e/etc")
  })

  it("lists what is suppressed, where, and that the change did it", () => {
    const suppressed = run(sampleResult).results.at(-1)
    expect(suppressed.suppressions).toEqual([
      {
        kind: "inSource",
        justification: "the report is printed on purpose (billing/report.py:8, added by the change under review)"
      }
    ])
    const by = (file: string | null) =>
      run({
        ...sampleResult,
        suppressed: [{ ...sampleResult.suppressed[0]!, place: file === null ? null : { file, line: 3 } }]
      }).results.at(-1).suppressions[0].kind
    expect([by(".daydreamignore"), by(null), by(".daydreamignore:3")]).toEqual(["external", "external", "inSource"])
  })

  it("does not pass a broken review off as a clean one", () => {
    const [invocation] = run(partial).invocations
    expect(
      invocation.toolExecutionNotifications.map(({ message }: { message: { text: string } }) => message.text)
    ).toEqual([
      expect.stringContaining("This review is partial"),
      "arbiter: the model refused",
      "Not reviewed: too large"
    ])
    expect(run({ ...partial, status: "inconclusive" }).invocations[0].executionSuccessful).toBe(false)
  })

  it("makes no links of what a model wrote", () => {
    const sly = { ...sampleResult.findings[0]!, description: "see [here](http://evil.example)" }
    expect(renderSarif(present({ ...sampleResult, findings: [sly] }), sampleContext)).not.toContain("](")
  })

  it("stays within what GitHub takes, and reports what it left out", () => {
    const many = Array.from({ length: mostResults + 5 }, (_, index) => ({
      ...sampleResult.findings[0]!,
      id: index + 1
    }))
    const { invocations, results } = run({ ...sampleResult, findings: many, suppressed: [] })
    expect(results).toHaveLength(mostResults)
    expect(invocations[0].toolExecutionNotifications[0].message.text).toStartWith("5 results left out")
  })
})
