import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import {
  contextOf,
  fingerprintOf,
  identityBytes,
  numbered,
  occurrences,
  ruleOf
} from "../../../src/domain/finding/Fingerprint.ts"
import { it } from "../../support/effect.ts"

describe("contextOf", () => {
  it("sees neither indentation nor the lines around", () => {
    const before = numbered(["import os", "# why", "def f(a=[]):", "    return a", "", "x = 1"])
    const after = numbered(["  def  f(a=[]):", "  return  b"])
    expect(contextOf(before, 3)).toBe(contextOf(after, 1))
  })

  it("is empty for a claim about the entire file and total for a line that is not there", () => {
    expect(contextOf(numbered(["a"]), 0)).toBe("")
    expect(contextOf(numbered([]), 9)).toBe("")
  })

  const Lines = Schema.Array(Schema.Literals(["a", "b", "", "  c"]))

  it.prop("survives whatever is put before and after", Schema.Tuple([Lines, Lines, Lines]), ([before, code, after]) => {
    const moved = numbered([...before, ...code, ...after])
    for (let line = 1; line <= code.length; line++) {
      expect(contextOf(moved, before.length + line)).toBe(contextOf(numbered(code), line))
    }
  })
})

describe("occurrences", () => {
  it("counts equal places from the top", () => {
    expect([...occurrences(numbered(["x", "", "x", "", "y", "x"])).values()]).toEqual([0, 0, 1, 1, 0, 2])
  })
})

describe("identityBytes", () => {
  it("separates fields unambiguously", () => {
    const text = (rule: string, path: string) =>
      new TextDecoder().decode(identityBytes({ rule, path, context: "", occurrence: 0, sibling: 0 }))
    expect(text("a", "b,c")).not.toBe(text('a","b', "c"))
    expect(text("ab", "c")).not.toBe(text("a", "bc"))
  })
})

describe("ruleOf", () => {
  const record = ReviewRecord.make({
    id: 1,
    description: "d",
    file: "a",
    line: 1,
    confidence: "HIGH",
    severity: "low",
    rationale: "",
    evidence: ""
  })

  it("calls a model's claim by its kind, so that merging two stacks does not rename it", () => {
    expect(ruleOf({ record, lens: "per-stack" })).toBe(ruleOf({ record, lens: "cross-stack" }))
    expect(ruleOf({ record: ReviewRecord.make({ ...record, rule: "py/x" }), lens: "structural" })).toBe("py/x")
  })

  it("is a short prefix of a digest", () => {
    expect(fingerprintOf("0123456789abcdef".repeat(4))).toBe("dd1:0123456789abcdef")
  })
})
