import { describe, expect, test } from "bun:test"
import type { RuleCalibration } from "../../../src/domain/finding/Calibration.ts"
import { calibratedFindings } from "../../../src/services/review/calibratedFindings.ts"
import { finding } from "../../support/finding.ts"

const labels = (accepted: number, rejected: number, fields: Partial<RuleCalibration> = {}): RuleCalibration => ({
  rule: "py/eval",
  by: "static",
  accepted,
  rejected,
  probability: (accepted + 2) / (accepted + rejected + 4),
  ...fields
})

const claim = finding({ rule: "model/review", source: "model", line: 9, endLine: 9, confidence: "MEDIUM" })

describe("the confidence of a finding", () => {
  test("follows the labels of its rule, and the note names the rule and its counts", () => {
    const { kept, notes } = calibratedFindings([finding(), finding({ rule: "py/other", line: 3 })], [labels(2, 7)], [])
    expect(kept.map(({ confidence, rule }) => [rule, confidence])).toEqual([
      ["py/other", "HIGH"],
      ["py/eval", "MEDIUM"]
    ])
    expect(notes).toEqual([
      "Confidence from labels: py/eval is MEDIUM (people accepted 2 of 9); --no-learned reports dd's own"
    ])
  })

  test("stays as it is with few labels, with labels of other rules, and where the labels agree with it", () => {
    const findings = [finding()]
    for (const known of [
      labels(0, 4),
      labels(0, 9, { rule: "py/other" }),
      labels(0, 9, { by: "claude-x" }),
      labels(9, 0)
    ]) {
      expect(calibratedFindings(findings, [known], [])).toEqual({ kept: findings, notes: [] })
    }
  })

  test("of a model's finding follows the labels of that model only", () => {
    const known = labels(20, 0, { rule: "model/review", by: "claude-x" })
    const of = (...reviewers: ReadonlyArray<string>) =>
      calibratedFindings([claim], [known], reviewers).kept[0]?.confidence
    expect(of("anthropic (claude-x)", "static")).toBe("HIGH")
    expect(of("claude-x")).toBe("HIGH")
    expect(of("anthropic (claude-y)")).toBe("MEDIUM")
    expect(of("anthropic (claude-x)", "openai (gpt-z)")).toBe("MEDIUM")
    expect(of()).toBe("MEDIUM")
  })
})
