import { describe, expect } from "bun:test"
import { Result } from "effect"
import { readIgnoreFile } from "../../../src/domain/finding/IgnoreFile.ts"
import { it } from "../../support/effect.ts"
import { finding } from "../../support/finding.ts"

const entries = (...lines: ReadonlyArray<string>) => Result.getOrThrow(readIgnoreFile(lines))
const covers = (line: string, fields: Parameters<typeof finding>[0]) => entries(line)[0]!.covers(finding(fields))

describe("readIgnoreFile", () => {
  it("reads fingerprints, rules, paths, and rules within paths", () => {
    expect(covers("dd1:0123456789abcdef", { fingerprint: "dd1:0123456789abcdef" })).toBe(true)
    expect(covers("py/eval", { rule: "py/eval" })).toBe(true)
    expect(covers("py/*", { rule: "py/eval" })).toBe(true)
    expect(covers("py/*", { rule: "go/eval", file: "py/a.go" })).toBe(false)
    expect(covers("vendor/", { file: "x/vendor/a.py" })).toBe(true)
    expect(covers("/py/eval", { rule: "go/x", file: "py/eval" })).toBe(true)
    expect(covers("py/eval tests/**", { rule: "py/eval", file: "tests/a.py" })).toBe(true)
    expect(covers("py/eval tests/**", { rule: "py/eval", file: "src/a.py" })).toBe(false)
  })

  it("keeps line numbers and reasons, and skips comments and blank lines", () => {
    const read = entries("# head", "", "vendor/ # not ours # really", "  py/eval", "#py/x")
    expect(read.map(({ line, reason }) => [line, reason])).toEqual([
      [3, "not ours # really"],
      [4, "no reason given"]
    ])
  })

  it("takes a path in quotes, as git writes it", () => {
    expect(covers('"my file.py"', { file: "a/my file.py" })).toBe(true)
    expect(covers('py/* "/\\ttab.py" # a tab', { rule: "py/eval", file: "\ttab.py" })).toBe(true)
    expect(covers("\u00a0a.py", { file: "\u00a0a.py" })).toBe(true)
    expect(entries('"a # b.py" # why')[0]).toMatchObject({ pattern: null, reason: "why" })
  })

  it("names the line it cannot read", () => {
    const fault = (...lines: ReadonlyArray<string>) => {
      const result = readIgnoreFile(lines)
      return Result.isFailure(result) ? [result.failure.line, result.failure.problem] : null
    }
    expect(fault("py/x", "a b c")).toEqual([2, "write a rule, a path pattern, or a rule and a path pattern"])
    expect(fault("src a.py")).toEqual([1, '"src" is not a rule, an area or a fingerprint'])
    expect(fault("!a.py")?.[0]).toBe(1)
  })
})
