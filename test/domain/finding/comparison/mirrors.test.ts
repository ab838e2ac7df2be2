import { describe, expect, test } from "bun:test"
import { withoutMirrors } from "../../../../src/domain/finding/comparison/mirrors.ts"
import { ReviewRecord } from "../../../../src/domain/finding/Finding.ts"

const record = (file: string, quote = "x()", rule = "ts/a") =>
  ReviewRecord.make({
    id: 0,
    description: "d",
    file,
    line: 1,
    confidence: "HIGH",
    severity: "low",
    rationale: "",
    evidence: "",
    rule,
    quote
  })

const kept = (records: ReadonlyArray<ReviewRecord>, texts: Readonly<Record<string, ReadonlyArray<string>>> = {}) =>
  withoutMirrors(records, (path) => texts[path] ?? ["import a", "x()", "y()", "z()"]).map(({ file }) => file)

describe("withoutMirrors", () => {
  test("keeps the source of a generated copy", () => {
    expect(kept([record("deno_dist/b/a.ts"), record("src/b/a.ts")])).toEqual(["src/b/a.ts"])
    expect(kept([record("deno/lib/a.ts"), record("src/a.ts")])).toEqual(["src/a.ts"])
  })
  test("keeps a finding that the source does not have", () => {
    const records = [record("deno_dist/a.ts"), record("src/a.ts", "y()"), record("src/a.ts", "x()", "ts/b")]
    expect(kept(records)).toEqual(["deno_dist/a.ts", "src/a.ts", "src/a.ts"])
  })
  test("keeps a file with the same name and another text", () => {
    const texts = { "web/a.ts": ["x()", "other()", "more()"] }
    expect(kept([record("web/a.ts"), record("src/a.ts")], texts)).toEqual(["web/a.ts", "src/a.ts"])
  })
  test("keeps packages beside each other", () => {
    const records = [record("packages/b/a.ts"), record("packages/src/a.ts")]
    expect(kept(records)).toHaveLength(2)
  })
})
