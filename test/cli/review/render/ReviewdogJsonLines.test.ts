import { describe, expect } from "bun:test"
import { Presentable } from "../../../../src/cli/review/render/Presentable.ts"
import { renderReviewdogJsonLines } from "../../../../src/cli/review/render/ReviewdogJsonLines.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult } from "../../../support/hostileReview.ts"
import { hostileText } from "../../../support/hostileText.ts"
import { breachesOf } from "../../../support/jsonSchema.ts"
import { cleanResult, present, sampleContext, sampleResult } from "../../../support/sampleReview.ts"

const position = {
  type: "object",
  required: ["line"],
  additionalProperties: false,
  properties: { line: { type: "integer", minimum: 1 }, column: { type: "integer", minimum: 1 } }
}

const location = {
  type: "object",
  required: ["path"],
  additionalProperties: false,
  properties: {
    path: { type: "string" },
    range: {
      type: "object",
      required: ["start"],
      additionalProperties: false,
      properties: { start: position, end: position }
    }
  }
}

/** The part of reviewdog's Diagnostic message that we write. */
const breaches = breachesOf({
  type: "object",
  required: ["message", "location", "severity"],
  additionalProperties: false,
  properties: {
    message: { type: "string", minLength: 1 },
    location,
    related_locations: {
      type: "array",
      items: {
        type: "object",
        required: ["message", "location"],
        additionalProperties: false,
        properties: { message: { type: "string", minLength: 1 }, location }
      }
    },
    severity: { enum: ["ERROR", "WARNING", "INFO"] },
    source: { type: "object", required: ["name"], additionalProperties: false, properties: { name: { const: "dd" } } },
    code: {
      type: "object",
      required: ["value"],
      additionalProperties: false,
      properties: { value: { type: "string" }, url: { type: "string", pattern: "^https://" } }
    },
    suggestions: {
      type: "array",
      items: {
        type: "object",
        required: ["range", "text"],
        additionalProperties: false,
        properties: {
          range: { type: "object", required: ["start"], properties: { start: position, end: position } },
          text: { type: "string" }
        }
      }
    }
  }
})

const diagnostics = (result = sampleResult) => {
  const text = renderReviewdogJsonLines(present(result), sampleContext)
  return text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
}

describe("the reviewdog diagnostics", () => {
  it("have the shape reviewdog documents, one a line", () => {
    expect(diagnostics()).toHaveLength(7)
    for (const diagnostic of diagnostics()) expect(breaches(diagnostic)).toEqual([])
    expect(diagnostics(cleanResult)).toEqual([])
  })

  it.prop("have their shape whatever text the repository contains", hostileText, (pieces) => {
    for (const diagnostic of diagnostics(hostileResult(pieces.join("")))) expect(breaches(diagnostic)).toEqual([])
  })

  it("cover complete lines, and none when a finding is about the file", () => {
    const one = sampleResult.findings[0]!
    const at = (line: number, endLine: number) =>
      diagnostics({ ...sampleResult, findings: [{ ...one, line, endLine }] })[0].location.range
    expect(at(3, 5)).toEqual({ start: { line: 3 }, end: { line: 5 } })
    expect(at(3, 3)).toEqual({ start: { line: 3 } })
    expect(at(0, 0)).toBeUndefined()
  })

  const diagnosticOf = (change: object) =>
    diagnostics({ ...sampleResult, findings: [{ ...sampleResult.findings[0]!, ...change }] })[0]

  it("count columns in UTF-8 bytes, and name the related places", () => {
    const marked = { line: 2, endLine: 2, column: 9, endColumn: 11, file: "a.py" }
    const related = [
      { file: "b.py", line: 1, column: 2, endColumn: 4, message: "called here" },
      { file: "gone.py", line: 3, column: 1, endColumn: 2, message: "defined here" }
    ]
    const result = { ...sampleResult, findings: [{ ...sampleResult.findings[0]!, ...marked, related }] }
    const sources = new Map([
      ["a.py", ["", 'x = "é🙂" + y']],
      ["b.py", ["漢f()"]]
    ])
    const [line = ""] = renderReviewdogJsonLines(
      Presentable.of(result, sources, (text) => text),
      sampleContext
    ).split("\n")
    const diagnostic = JSON.parse(line)
    expect(breaches(diagnostic)).toEqual([])
    expect(diagnostic.location.range).toEqual({ start: { line: 2, column: 12 }, end: { line: 2, column: 14 } })
    expect(diagnostic.related_locations).toEqual([
      {
        message: "called here",
        location: { path: "b.py", range: { start: { line: 1, column: 4 }, end: { line: 1, column: 6 } } }
      },
      { message: "defined here", location: { path: "gone.py", range: { start: { line: 3 } } } }
    ])
  })

  it("offer the replacement of a rule, also one that deletes the lines", () => {
    const range = { start: { line: 3 }, end: { line: 4 } }
    const suggestionsOf = (suggestion: string) => diagnosticOf({ line: 3, endLine: 4, suggestion }).suggestions
    expect(suggestionsOf("def f(a=None):\n\tpass")).toEqual([{ range, text: "def f(a=None):\n\tpass" }])
    expect(suggestionsOf("")).toEqual([{ range, text: "" }])
  })

  it("offer nothing of a model to be applied with one click, because it may be advice", () => {
    const diagnostic = diagnosticOf({ rule: "model/python", source: "model", suggestion: "Use None" })
    expect(diagnostic.suggestions).toBeUndefined()
    expect(diagnostic.message).toContain("Fix: Use None")
  })
})
