import { describe, expect } from "bun:test"
import { Presentable } from "../../../src/cli/render/Presentable.ts"
import { plainRedaction } from "../../../src/domain/Redaction.ts"
import { it } from "../../support/effect.ts"
import { sampleResult } from "../../support/sampleReview.ts"

const of = (sources: ReadonlyMap<string, ReadonlyArray<string>>, mask = plainRedaction.text) =>
  Presentable.of(sampleResult, sources, mask)

describe("what may be shown", () => {
  it("hides a key that spans lines, and keeps the lines where they were", () => {
    const body = Array.from({ length: 6 }, (_, index) => `MIIEpAIBAAKCAQEA${String(index).repeat(40)}`)
    const lines = [
      "KEY = '''",
      "-----BEGIN RSA PRIVATE KEY-----",
      ...body,
      "-----END RSA PRIVATE KEY-----",
      "'''",
      "use(KEY)"
    ]
    const code = of(new Map([["a.py", lines]])).code("a.py") ?? []
    expect(code.join("\n")).not.toContain("MIIE")
    expect(code).toHaveLength(lines.length)
    expect(code.at(-1)).toBe("use(KEY)")
  })

  it("shows no code rather than the wrong line when a mask takes lines away", () => {
    const review = of(new Map([["a.py", ["secret", "of two lines", "x = 1"]]]), (text) =>
      text.replace("secret\nof two lines", "?")
    )
    expect(review.code("a.py")).toBeUndefined()
  })

  it("shows no code rather than another file's when two names look the same", () => {
    const review = of(
      new Map([
        ["a.py", ["one"]],
        ["a\x07.py", ["two"]]
      ])
    )
    expect(review.code("a.py")).toBeUndefined()
  })

  it("finds the code of a file whose name had to be stripped", () => {
    const finding = { ...sampleResult.findings[0]!, file: "a\u202eb.py" }
    const review = Presentable.of(
      { ...sampleResult, findings: [finding] },
      new Map([["a\u202eb.py", ["one"]]]),
      plainRedaction.text
    )
    expect(review.code(review.result.findings[0]!.file)).toEqual(["one"])
  })

  it("keeps a claim a claim when nothing of it can be read", () => {
    const finding = { ...sampleResult.findings[0]!, title: "\x1b[31m\x07" }
    const review = Presentable.of({ ...sampleResult, findings: [finding] }, new Map(), plainRedaction.text)
    expect(review.result.findings[0]!.title).toBe("(no readable text)")
  })
})
