import { describe, expect } from "bun:test"
import { exitCodeFor } from "../../../src/cli/system/exitCode.ts"
import { noFixes } from "../../../src/domain/fix/FixReport.ts"
import { it } from "../../support/effect.ts"

const high = { id: 1, severity: "high", new: true } as const
const low = { id: 2, severity: "low", new: true } as const
const complete = (...findings: ReadonlyArray<{ id: number; severity: "high" | "medium" | "low"; new: boolean }>) => ({
  status: "complete" as const,
  findings,
  fix: null
})

describe("exitCodeFor", () => {
  it("is 1 from the threshold upwards", () => {
    expect(exitCodeFor(complete(high), "high", "fail")).toBe(1)
    expect(exitCodeFor(complete(low), "high", "fail")).toBe(0)
    expect(exitCodeFor(complete(low), "low", "fail")).toBe(1)
    expect(exitCodeFor(complete(low, high), "medium", "fail")).toBe(1)
  })

  it("is 0 whatever was found when nothing is to fail, and when nothing was found", () => {
    expect(exitCodeFor(complete(high), "none", "fail")).toBe(0)
    expect(exitCodeFor(complete(), "low", "fail")).toBe(0)
  })

  it("does not count findings of the baseline", () => {
    expect(exitCodeFor(complete({ ...high, new: false }), "low", "fail")).toBe(0)
  })

  it("does not count findings that are fixed in the working tree", () => {
    const outcome = { fingerprint: "dd1:1", path: "a.py", detail: "" }
    const outcomes = [{ ...outcome, id: 1, status: "resolved" as const }]
    const applied = { ...noFixes, outcomes, patch: "applied" as const }
    expect(exitCodeFor({ ...complete(high), fix: applied }, "high", "fail")).toBe(0)
    expect(exitCodeFor({ ...complete(high, low), fix: applied }, "low", "fail")).toBe(1)
    expect(exitCodeFor({ ...complete(high), fix: { ...applied, patch: "recommended" } }, "high", "fail")).toBe(1)
  })

  it("is 4 when the review could not finish, unless the user allows it", () => {
    for (const status of ["inconclusive", "partial"] as const) {
      expect(exitCodeFor({ status, findings: [], fix: null }, "none", "fail")).toBe(4)
      expect(exitCodeFor({ status, findings: [], fix: null }, "none", "pass")).toBe(0)
    }
  })

  it("is that of a finding before that of an unfinished review", () => {
    expect(exitCodeFor({ status: "inconclusive", findings: [high], fix: null }, "high", "fail")).toBe(1)
    expect(exitCodeFor({ status: "inconclusive", findings: [high], fix: null }, "high", "pass")).toBe(1)
  })
})
