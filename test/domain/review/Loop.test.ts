import { describe, expect, test } from "bun:test"
import { noFixes } from "../../../src/domain/fix/FixReport.ts"
import { costBefore, endWords, goesOn, type Loop, passOf, passWords } from "../../../src/domain/review/Loop.ts"
import type { Pass } from "../../../src/domain/review/Pass.ts"
import { finding } from "../../support/finding.ts"
import { sampleResult } from "../../support/sampleReview.ts"

const pass = (over: Partial<Pass> = {}): Pass => ({
  sessionId: "s",
  findings: 3,
  fixed: 2,
  commit: "0123456789abcdef",
  tests: "passed",
  usd: 0.5,
  ...over
})
const loop = (over: Partial<Loop> = {}): Loop => ({ pass: 1, atMost: 3, before: [], ...over })
const committed = { ...noFixes, commit: "0123456789abcdef" }

describe("a loop", () => {
  test("goes on after a commit, up to its last pass", () => {
    expect([1, 2, 3, 4].map((at) => goesOn(loop({ pass: at }), 0, committed))).toEqual([true, true, false, false])
  })

  test("does not go on without a commit, or after a step that ended the flow", () => {
    expect([goesOn(loop(), 0, noFixes), goesOn(loop(), 0, null), goesOn(loop(), 1, committed)]).toEqual([
      false,
      false,
      false
    ])
  })

  test("has spent what its passes have, and an unknown amount after one of unknown cost", () => {
    expect(costBefore(null)).toBe(0)
    expect(costBefore(loop({ before: [pass(), pass({ usd: 0.25 })] }))).toBe(0.75)
    expect(costBefore(loop({ before: [pass({ usd: null }), pass()] }))).toBe(null)
  })

  test("says how it ended, and nothing after a pass that found nothing", () => {
    expect(endWords(pass(), loop({ pass: 3 }))).toBe("The loop ended at pass 3 of 3, with 1 finding left.")
    expect(endWords(pass({ fixed: 3 }), loop({ pass: 3 }))).toBe(
      "The loop ended at pass 3 of 3, and its fixes were not reviewed again."
    )
    expect(endWords(pass({ findings: 0, fixed: 0 }), loop())).toBe("")
  })
})

describe("a pass", () => {
  test("counts the new findings, and of them those that are fixed in the working tree", () => {
    const outcome = (id: number) => ({ id, fingerprint: "", path: "a.py", status: "resolved" as const, detail: "" })
    const findings = [finding({ id: 1 }), finding({ id: 2 }), finding({ id: 3, new: false })]
    const fix = { ...committed, patch: "applied" as const, outcomes: [outcome(1), outcome(3)] }
    expect(passOf({ ...sampleResult, findings, fix })).toMatchObject({ findings: 2, fixed: 1, commit: fix.commit })
    expect(passOf({ ...sampleResult, findings, fix: { ...fix, patch: "recommended" } })).toMatchObject({ fixed: 0 })
    expect(passOf({ ...sampleResult, findings, fix: null })).toMatchObject({ findings: 2, fixed: 0, commit: null })
  })

  test("is told in a sentence", () => {
    expect(passWords(pass(), 1, loop())).toBe(
      "Pass 1 of 3 fixed 2 of 3 findings and committed as 0123456789ab, tests passed"
    )
    expect(passWords(pass({ tests: null }), 1, loop())).toEndWith("0123456789ab, without tests")
    expect(passWords(pass({ findings: 1, fixed: 0, commit: null }), 2, loop())).toBe("Pass 2 of 3 fixed 0 of 1 finding")
  })
})
