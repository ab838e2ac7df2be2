import { describe, expect } from "bun:test"
import { addedLines, lineClaims } from "../../src/domain/finding/Claims.ts"
import { type SourceText, splitLines } from "../../src/services/change/Sources.ts"
import { ruleFile } from "../../src/services/finding/StaticReviewer.ts"
import { diffFile } from "../support/change.ts"
import { it } from "../support/effect.ts"
import { shipped } from "../support/rules.ts"

const source = (text: string): SourceText => ({ _tag: "Text", text, lines: splitLines(text) })

const claims = (path: string, base: string, head: string) => {
  const diff = diffFile(path, base, head)
  const file = ruleFile(diff, source(head), source(base))
  return shipped("py/breakpoint-left", "debug/*", "secret/*").flatMap((rule) =>
    rule._tag === "Line" ? lineClaims(rule, file, addedLines(diff)).map(({ line }) => `${rule.id}:${line}`) : []
  )
}

describe("a line that only moved", () => {
  it("is not claimed again, whatever its new indentation", () => {
    expect(claims("a.py", "breakpoint()\nx = 1\n", "x = 1\nif x:\n    breakpoint()\n")).toEqual([])
  })

  it("is claimed where the change adds it beside the old one", () => {
    expect(claims("a.py", "breakpoint()\nx = 1\n", "breakpoint()\nx = 1\nbreakpoint()\n")).toEqual([
      "py/breakpoint-left:3"
    ])
  })

  it("does not hide another one", () => {
    expect(claims("a.py", "breakpoint()\nx = 1\n", "x = 1\nimport pdb; pdb.set_trace()\n")).toEqual([
      "py/breakpoint-left:2"
    ])
  })
})
