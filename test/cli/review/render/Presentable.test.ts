import { describe, expect } from "bun:test"
import { Presentable } from "../../../../src/cli/review/render/Presentable.ts"
import { plainRedaction } from "../../../../src/domain/secret/Redaction.ts"
import { it } from "../../../support/effect.ts"
import { sampleResult } from "../../../support/sampleReview.ts"

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
    const code = of(new Map([["a.py", lines]])).code("a.py")?.lines ?? []
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

  it("shows the code of each of two names that would look the same", () => {
    const review = of(
      new Map([
        ["a<U+202E>.py", ["one"]],
        ["a\u202e.py", ["two"]]
      ])
    )
    expect(review.code("a\\x3cU+202E>.py")?.lines).toEqual(["one"])
    expect(review.code("a<U+202E>.py")?.lines).toEqual(["two"])
  })

  it("has no suggestion that would not be the one of the reviewer, because programs apply it", () => {
    const suggestionsOf = (...suggestions: ReadonlyArray<string>) =>
      Presentable.of(
        { ...sampleResult, findings: suggestions.map((suggestion) => ({ ...sampleResult.findings[0]!, suggestion })) },
        new Map(),
        (text) => text.replaceAll("hunter2", "[password]")
      ).result.findings.map(({ suggestion }) => suggestion)
    expect(suggestionsOf("\tx = 'é'\n\n  y  ", "", "x = 'hunter2'", "x\u202e = 1", "x\x1b[31m")).toEqual([
      "\tx = 'é'\n\n  y  ",
      "",
      null,
      null,
      null
    ])
  })

  it("keeps two names apart that differ only in a control character", () => {
    const named = (file: string) => ({ ...sampleResult.findings[0]!, file })
    const review = Presentable.of(
      { ...sampleResult, findings: [named("a b.py"), named("a\tb.py"), named("a\x1b[31mb.py")] },
      new Map([
        ["a b.py", ["one"]],
        ["a\tb.py", ["two"]]
      ]),
      plainRedaction.text
    )
    const shown = ["a b.py", "a\\x09b.py", "a\\x1b[31mb.py"]
    expect(review.result.findings.map(({ file }) => file)).toEqual(shown)
    expect(shown.map((path) => review.code(path)?.lines)).toEqual([["one"], ["two"], undefined])
  })

  it("finds the code of a file whose name had to be stripped", () => {
    const finding = { ...sampleResult.findings[0]!, file: "a\u202eb.py" }
    const review = Presentable.of(
      { ...sampleResult, findings: [finding] },
      new Map([["a\u202eb.py", ["one"]]]),
      plainRedaction.text
    )
    expect(review.code(review.result.findings[0]!.file)?.lines).toEqual(["one"])
  })

  it("maps columns to the shown line, those of what is masked to its marker", () => {
    const review = of(new Map([["a.py", ["\tx = 1", "p = hunter2 + y"]]]), (text) =>
      text.replace("hunter2", "[password]")
    )
    const code = review.code("a.py")
    expect(code?.lines).toEqual(["    x = 1", "p = [password] + y"])
    expect(code?.column(1, 2)).toBe(5)
    expect([code?.column(2, 1), code?.column(2, 5), code?.column(2, 7)]).toEqual([1, 5, 5])
    expect([code?.column(2, 8, "end"), code?.column(2, 12, "end"), code?.column(2, 15)]).toEqual([15, 15, 18])
    expect(code?.column(3, 1)).toBeNull()
    expect(code?.masked(1)).toEqual([])
    expect(code?.masked(2)).toEqual([{ column: 5, endColumn: 15 }])
  })

  it("hides a credential after a terminal code, and one with a terminal code inside", () => {
    const token = ["gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("")
    const words = `done\x1b[33m${token}\x1b[0m, then ${token.slice(0, 14)}\x1b[1m${token.slice(14)}`
    const finding = { ...sampleResult.findings[0]!, title: words, description: words }
    const review = Presentable.of({ ...sampleResult, findings: [finding] }, new Map(), plainRedaction.text)
    const { description, title } = review.result.findings[0]!
    for (const text of [title, description]) {
      expect(text).not.toContain(token.slice(0, 9))
      expect(text).not.toContain(token.slice(-9))
    }
  })

  it("keeps a claim a claim when nothing of it can be read", () => {
    const finding = { ...sampleResult.findings[0]!, title: "\x1b[31m\x07" }
    const review = Presentable.of({ ...sampleResult, findings: [finding] }, new Map(), plainRedaction.text)
    expect(review.result.findings[0]!.title).toBe("(no readable text)")
  })
})
