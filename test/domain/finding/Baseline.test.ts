import { describe, expect } from "bun:test"
import { Result } from "effect"
import { baselineText, markKnown, readBaseline } from "../../../src/domain/finding/Baseline.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { it } from "../../support/effect.ts"
import { finding } from "../../support/finding.ts"

const a = finding({ fingerprint: "dd1:aaaaaaaaaaaaaaaa", title: 'has "quotes"\n' })
const b = finding({ fingerprint: "dd1:bbbbbbbbbbbbbbbb" })

describe("a baseline", () => {
  it("reads what it wrote, one sorted finding a line, whatever the order", () => {
    const text = baselineText([b, a, b], plainRedaction.text)
    expect(text).toBe(baselineText([a, b], plainRedaction.text))
    expect(text.split("\n").filter((line) => line.includes("dd1:"))).toHaveLength(2)
    expect(Result.getOrThrow(readBaseline(text))).toEqual(new Set([a.fingerprint, b.fingerprint]))
    expect(Result.getOrThrow(readBaseline(baselineText([], plainRedaction.text)))).toEqual(new Set())
  })

  it("contains no secret that a title quotes", () => {
    const token = ["gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("")
    const text = baselineText(
      [finding({ fingerprint: a.fingerprint, title: `the token ${token} is in the source` })],
      plainRedaction.text
    )
    expect(text).not.toContain(token)
    expect(text).toContain("the token [REDACTED_API_KEY] is in the source")
    expect(Result.getOrThrow(readBaseline(text))).toEqual(new Set([a.fingerprint]))
  })

  it("marks what it contains as not new and leaves the rest alone", () => {
    const marked = markKnown([a, b], new Set([b.fingerprint]))
    expect(marked.map((finding) => finding.new)).toEqual([true, false])
    expect(marked[0]).toEqual(a)
  })

  it("names the line that a merge has broken", () => {
    const lines = baselineText([a, b], plainRedaction.text).split("\n")
    const line = (...text: ReadonlyArray<string>) => {
      const result = readBaseline(text.join("\n"))
      return Result.isFailure(result) ? result.failure.line : null
    }
    expect(line(...lines.slice(0, 4), "<<<<<<< ours", ...lines.slice(4))).toBe(5)
    expect(line(...lines.map((text) => text.replace("dd1:b", "dd1:Z")))).toBe(5)
    expect(line("")).toBe(1)
    expect(line('{"schema_version": 2, "findings": []}')).toBe(1)
  })
})
