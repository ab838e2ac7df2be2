import { describe, expect, test } from "bun:test"
import type { Outcome } from "../../../src/domain/fix/Outcome.ts"
import { mostComplexity, mostLines, qualityWarnings } from "../../../src/domain/fix/quality.ts"

const outcome = (id: number, status: Outcome["status"]): Outcome => ({
  id,
  fingerprint: "",
  path: "a.py",
  status,
  detail: ""
})
const measures = (more: object) => [{ path: "a.py", before: 3, after: 3, removed: 1, added: 1, ...more }]

describe("the quality of fixes", () => {
  test("warns with both numbers where a file becomes more complex, or longer, than its findings explain", () => {
    const fixed = [outcome(1, "resolved"), outcome(2, "unresolved")]
    const limits = { after: 3 + mostComplexity, added: mostLines }
    expect(qualityWarnings(measures(limits), fixed)).toEqual([])
    expect(qualityWarnings(measures({ after: limits.after + 1, added: limits.added + 1 }), fixed)).toEqual([
      { path: "a.py", measure: "complexity", before: 3, after: 4 + mostComplexity, fixed: 1 },
      { path: "a.py", measure: "verbosity", before: 1, after: mostLines + 1, fixed: 1 }
    ])
  })

  test("expects more of a fix of more findings, and nothing less where a file becomes simpler", () => {
    const two = [outcome(1, "resolved"), outcome(2, "changed")]
    expect(qualityWarnings(measures({ after: 4 + mostComplexity, added: mostLines + 1 }), two)).toEqual([])
    expect(qualityWarnings(measures({ before: 90, after: 1, removed: 90 }), [])).toEqual([])
  })
})
