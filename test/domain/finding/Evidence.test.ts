import { describe, expect } from "bun:test"
import { Result, Schema } from "effect"
import { type CitedFile, formFault, placed, unknownPlaces, verified } from "../../../src/domain/finding/Evidence.ts"
import { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import { KnownPaths } from "../../../src/domain/finding/KnownPaths.ts"
import { it } from "../../support/effect.ts"

type Fields = Partial<ConstructorParameters<typeof ReviewRecord>[0]>

const record = (fields: Fields = {}) =>
  ReviewRecord.make({
    id: 1,
    description: "d",
    file: "a.py",
    line: 3,
    confidence: "HIGH",
    severity: "high",
    rationale: "",
    evidence: "a.py:3",
    ...fields
  })

const text = (...lines: ReadonlyArray<string>): CitedFile => ({
  _tag: "Seen",
  count: lines.length,
  line: (number) => lines[number - 1]
})

const hunks = (lines: Readonly<Record<number, string>>): CitedFile => ({
  _tag: "Seen",
  count: null,
  line: (number) => lines[number]
})

describe("formFault", () => {
  it("decides the reference's vectors as the reference does", () => {
    expect(formFault(record({ evidence: "x" }), "per-stack")).toBeNull()
    expect(formFault(record({ file: "", line: 0, evidence: "helper:42" }), "per-stack")).toContain("names no place")
    expect(formFault(record({ file: "", line: 0, evidence: "src/foo.py:42" }), "per-stack")).toBeNull()
    expect(formFault(record({ file: "", line: 0, evidence: "port:8080" }), "per-stack")).toContain("names no place")
    expect(formFault(record({ line: 0, evidence: "the whole module" }), "structural")).toBeNull()
  })

  it("never keeps a low confidence, whatever the lens", () => {
    for (const lens of ["per-stack", "cross-stack", "structural", "wonder"] as const) {
      expect(formFault(record({ confidence: "LOW" }), lens)).toContain("confidence is low")
    }
  })

  it("does not accept 'none' and similar words as evidence", () => {
    for (const evidence of ["", "  ", "N/A", "none", " - "]) {
      expect(formFault(record({ evidence }), "structural")).toBe("no evidence was given")
    }
    expect(formFault(record({ rationale: "There is No Exploration Evidence for it" }), "per-stack")).not.toBeNull()
  })
})

describe("unknownPlaces", () => {
  it("finds places, and no addresses", () => {
    expect(unknownPlaces("see (src/foo.py:42), `b/c:7` and d.go:1.")).toEqual([
      { path: "src/foo.py", line: 42 },
      { path: "b/c", line: 7 },
      { path: "d.go", line: 1 }
    ])
    expect(unknownPlaces("https://example.com:8080 10.0.0.1:80 port:8080")).toEqual([])
  })
})

describe("text made to be slow", () => {
  it("is judged in the time it takes to read it", () => {
    for (const text of [".".repeat(300_000), "a/".repeat(200_000), ":".repeat(300_000), "`".repeat(300_000)]) {
      expect(formFault(record({ file: "", line: 0, evidence: text }), "per-stack")).not.toBeNull()
      expect(unknownPlaces(text)).toEqual([])
      expect(
        Result.isFailure(verified(record({ quote: `x${text}y` }), { _tag: "Seen", count: 9, line: () => "" }))
      ).toBe(true)
    }
  })
})

describe("placed", () => {
  const known = new KnownPaths(["src/foo.py", "a/b.py", " b.py"])

  it("is placed at its evidence if it names no file", () => {
    expect(placed(record({ file: "", line: 0, evidence: "src/foo.py:42 leaks" }), known)).toMatchObject({
      file: "src/foo.py",
      line: 42
    })
  })

  it("drops a leading ./", () => {
    expect(placed(record({ file: "./a//b.py" }), known).file).toBe("a/b.py")
  })

  it("keeps the path of a rule, and one that it does not know", () => {
    expect(placed(record({ file: "b.py", rule: "py/x" }), known).file).toBe("b.py")
    expect(placed(record({ file: " c.py" }), known).file).toBe(" c.py")
    expect(placed(record({ file: " b.py" }), known).file).toBe(" b.py")
    expect(placed(record({ file: "b.py" }), known).file).toBe(" b.py")
  })
})

describe("verified", () => {
  const file = text("import os", "", "def f(a=[]):", "    return a", "", "def g():", "    pass")

  const reason = (fields: Fields, cited: CitedFile = file) => {
    const result = verified(record(fields), cited)
    return Result.isFailure(result) ? result.failure : null
  }
  const found = (fields: Fields, cited: CitedFile = file) => Result.getOrThrow(verified(record(fields), cited))

  it.prop(
    "moves a claim from an empty line to the nearest line with text",
    Schema.Struct({
      lines: Schema.Array(Schema.Literals(["", "  ", "\t", "a = 1", "def f():"])).check(Schema.isMaxLength(12)),
      line: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
      isKnownWhole: Schema.Boolean
    }),
    ({ lines, line, isKnownWhole }) => {
      const whole = text(...lines)
      const cited: CitedFile =
        isKnownWhole || whole._tag !== "Seen"
          ? whole
          : { _tag: "Seen", count: null, line: whole.line, numbers: lines.map((_, at) => at + 1) }
      const stands = verified(record({ line, rule: "py/x" }), cited)
      if (Result.isFailure(stands)) return expect(line).toBeGreaterThan(lines.length)
      const found = stands.success
      const texts = lines.flatMap((each, at) => (each.trim() === "" ? [] : [at + 1]))
      if (texts.length === 0) return expect(found.line).toBeOneOf([0, line > lines.length ? line : 0])
      expect(texts).toContain(found.line)
      expect(Math.abs(found.line - line)).toBe(Math.min(...texts.map((at) => Math.abs(at - line))))
      expect(found.evidence).toBe(line === 3 ? `a.py:${found.line}` : "a.py:3")
    }
  )

  it("keeps a claim whose line exists", () => {
    expect(found({})).toEqual(record())
    expect(found({ line: 7 }).line).toBe(7)
    expect(found({ line: 0 }).line).toBe(0)
  })

  it("drops a line past the end of the file, and reports how long the file is", () => {
    expect(reason({ line: 8 })).toBe("line 8 is past the end of a.py (7 lines)")
    expect(reason({ line: -1 })).toBe("line -1 is not a line")
    expect(reason({ line: 2 }, text("one"))).toBe("line 2 is past the end of a.py (1 line)")
  })

  it("accepts a claim at the first line of an empty file", () => {
    expect(reason({ line: 1 }, text())).toBeNull()
  })

  it("drops a claim about a file that is not there", () => {
    expect(reason({}, { _tag: "Missing", why: "does not exist" })).toBe("a.py does not exist")
  })

  it("drops a line of a binary file and keeps a claim about the whole of it", () => {
    const binary: CitedFile = { _tag: "Opaque", what: "a binary file" }
    expect(reason({}, binary)).toContain("a binary file")
    expect(reason({ line: 0 }, binary)).toBeNull()
  })

  it("moves a claim to where its quote is, citation and end with it", () => {
    expect(found({ line: 5, endLine: 6, quote: "def  f(a=[]):", evidence: "a.py:5, not a.py:50" })).toMatchObject({
      line: 3,
      endLine: 4,
      evidence: "a.py:3, not a.py:50"
    })
  })

  it("drops a quote that occurs nowhere, and a rule's quote more than three lines away", () => {
    expect(reason({ rule: "py/x", line: 7, quote: "def f(a=[]):" })).toBe("the quoted text is not there")
    expect(found({ line: 7, quote: "def f(a=[]):" }).line).toBe(3)
    expect(found({ line: 70, quote: "def f(a=[]):" }).line).toBe(3)
    expect(reason({ quote: "eval(x)" })).toBe("the quoted text is not there")
  })

  it("finds a quote of several lines, blank ones between them or not", () => {
    expect(found({ line: 4, quote: "```\ndef f(a=[]):\n    return a\ndef g():\n```" }).line).toBe(3)
    expect(reason({ quote: "def f(a=[]):\n    return b" })).toBe("the quoted text is not there")
  })

  it("finds the quote of a claim about the entire file anywhere in it", () => {
    expect(found({ line: 0, quote: "def g():" }).line).toBe(6)
  })

  it("cuts an end past the end of the file", () => {
    expect(found({ endLine: 90 }).endLine).toBe(7)
    expect(found({ endLine: 1 }).endLine).toBe(3)
  })

  it("recognises only the hunks when there is no file", () => {
    const patch = hunks({ 3: "x = 1" })
    expect(reason({}, patch)).toBeNull()
    expect(reason({ line: 4 }, patch)).toContain("not in the diff")
    expect(reason({ quote: "x = 2" }, patch)).toBe("the quoted text is not there")
  })

  it.prop(
    "never places a claim outside the file",
    Schema.Struct({
      line: Schema.Literals([-2, 0, 1, 2, 3, 5, 9, 40]),
      endLine: Schema.Literals([0, 2, 6, 99]),
      quote: Schema.Literals(["", "a", "b", "zz"]),
      lines: Schema.Array(Schema.Literals(["a", "b", "", "ab"]))
    }),
    ({ lines, ...fields }) => {
      const result = verified(record(fields), text(...lines))
      if (Result.isFailure(result)) return
      expect(result.success.line).toBeLessThanOrEqual(Math.max(1, lines.length))
      expect(result.success.endLine!).toBeGreaterThanOrEqual(result.success.line)
      if (fields.quote !== "") expect(lines[result.success.line - 1]).toContain(fields.quote)
    }
  )
})
