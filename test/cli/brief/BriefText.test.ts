import { describe, expect, it } from "bun:test"
import { briefText } from "../../../src/cli/brief/BriefText.ts"
import type { Brief } from "../../../src/domain/brief/Brief.ts"
import { emptyBrief } from "../../support/briefs.ts"

const page = { colour: false, width: 100, here: null }

const definition = (name: string, over: Partial<Brief["definitions"][number]> = {}): Brief["definitions"][number] => ({
  change: "added",
  kind: "function",
  name,
  file: "shop/cart.py",
  line: 12,
  before: null,
  after: null,
  public: true,
  ...over
})

const sample: Brief = {
  ...emptyBrief,
  definitions: [
    definition("total", { change: "signature", before: "total(items)", after: "total(items, *, rate)" }),
    definition("Cart.clear", { change: "removed", kind: "method", line: 40 }),
    definition("_sum", { public: false, line: 60 }),
    definition("Cart.add", { change: "body", kind: "method", line: 20 })
  ],
  values: [
    { change: "changed", kind: "constant", name: "LIMIT", file: "shop/cart.py", line: 3, before: "10", after: "20" }
  ],
  dependencies: [
    { name: "django", file: "pyproject.toml", line: 9, before: "4.2", after: "5.1", major: true, locked: false }
  ],
  form: {
    lines: 480,
    formal: 312,
    hunks: [
      {
        form: "moved",
        file: "shop/tax.py",
        line: 5,
        added: 312,
        base: 0,
        deleted: 0,
        from: { file: "shop/cart.py", line: 70 },
        to: null,
        differs: []
      }
    ],
    movedFiles: [{ from: "shop/rate.py", to: "shop/tax/rate.py" }],
    order: [{ file: "shop/cart.py", line: 12, reason: "a changed signature" }]
  },
  dependents: [
    {
      name: "total",
      file: "shop/cart.py",
      line: 12,
      callers: 14,
      uses: 0,
      importers: 0,
      overriders: 0,
      subtypes: 0,
      possible: 0,
      files: 6,
      touched: 2,
      nearest: [{ file: "shop/view.py", line: 9, kind: "call", name: "show", certain: true, depth: 1 }]
    }
  ],
  tests: {
    files: [{ file: "tests/test_cart.py", by: "use", of: "total" }],
    commands: ["pytest tests/test_cart.py"],
    runner: { name: "pytest", source: { file: "pyproject.toml", line: 20 } },
    untested: [{ name: "Cart.clear", file: "shop/cart.py", line: 40 }]
  },
  companions: [{ file: "docs/cart.md", with: "shop/cart.py", together: 14, commits: 16, latest: "abcdef0123456789" }],
  history: [
    {
      kind: "fix-removed",
      file: "shop/cart.py",
      line: 14,
      end: 16,
      base: true,
      commit: "0123456789abcdef",
      subject: "Fix crash on an empty cart (#123)",
      date: "2024-03-01",
      issue: "#123",
      lines: 3,
      of: 4
    }
  ],
  people: [{ name: "Ada", commits: 12, latest: "2024-03-01", owner: true }],
  size: { files: 4, added: 300, deleted: 180, reading: 168, minutes: { least: 25, most: 50 }, clusters: [] },
  omitted: [{ part: "dependents", reason: "3 of 63 files that have the word total, the farthest ones" }]
}

describe("a brief in the terminal", () => {
  it("never shows files that could not be read as no lines", () => {
    const omitted = [{ part: "size", reason: "lines of 1 file that is too large or could not be read" }] as const
    const textOf = (added: number, reading: number) => {
      const size = { files: 1, added, deleted: 0, reading, minutes: null, clusters: [] }
      return briefText({ ...emptyBrief, size, omitted }, "short", page).join("\n")
    }
    expect(textOf(0, 0)).toContain("1 file, whose lines could not be counted")
    expect(textOf(3, 3)).toContain("1 file, at least +3 -0; at least 3 lines to read")
  })

  it("reads like this", () => {
    expect(`\n${briefText(sample, "short", page).join("\n")}\n`).toMatchSnapshot()
  })

  it("has people and every part of the form in full only", () => {
    const lines = briefText(sample, "full", page).join("\n")
    expect(lines).toContain("Ada: 12 commits to these files, the last on 2024-03-01, in CODEOWNERS")
    expect(lines).toContain("moved: 312 lines from shop/cart.py:70")
    expect(briefText(sample, "short", page).join("\n")).not.toContain("Ada")
  })

  it("says nothing of a change about which nothing is known", () => {
    expect(briefText(emptyBrief, "full", page)).toEqual([])
  })

  it("counts equal facts once, and the facts that are not shown after those of their section", () => {
    const same = Array.from({ length: 12 }, () => definition("a"))
    const others = Array.from({ length: 90 }, (_, at) => definition(`f${at}`))
    const lines = briefText({ ...emptyBrief, definitions: [...same, ...others] }, "short", page)
    expect(lines.filter((line) => / a\b.*\(12 times\)/.test(line))).toHaveLength(1)
    expect(lines.at(-1)).toMatch(/^ {12}and \d+ more$/)
  })

  it("has at most 20 lines of facts, at any width, and every section has its first fact", () => {
    const definitions = Array.from({ length: 90 }, (_, at) => definition(`a_rather_long_function_name_${at}`))
    for (const width of [40, 60, 100, 200]) {
      const lines = briefText({ ...sample, definitions }, "short", { ...page, width })
      const counts = lines.filter((line) => /^.{12}(?:and \d+ more|\d+ not shown)$/.test(line))
      expect(lines.length - counts.length).toBeLessThanOrEqual(20)
      if (width >= 60) expect(lines.filter((line) => /^[A-Z]/.test(line)).length).toBe(9)
      expect(counts.length).toBeGreaterThan(0)
    }
  })

  it("shows everything in full", () => {
    const definitions = Array.from({ length: 90 }, (_, at) => definition(`f${at}`))
    const text = briefText({ ...emptyBrief, definitions }, "full", page).join("\n")
    for (let at = 0; at < 90; at++) expect(text).toContain(`f${at} `)
  })

  it("names removed flags first, and constants after other definitions", () => {
    const definitions = [
      ...Array.from({ length: 30 }, (_, at) => definition(`LIMIT_${at}`, { change: "removed", kind: "constant" })),
      definition("total", { change: "removed" })
    ]
    const values: Brief["values"] = [
      { change: "changed", kind: "constant", name: "SIZE", file: "a.py", line: 1, before: "1", after: "2" },
      { change: "removed", kind: "flag", name: "v2", file: "a.py", line: 2, before: null, after: null }
    ]
    const [first, second] = briefText({ ...emptyBrief, definitions, values }, "short", page)
    expect(first).toContain("removed flag v2")
    expect(second).toContain("removed function total")
  })

  it("shows the white space of a value as it is", () => {
    const values: Brief["values"] = [
      { change: "changed", kind: "constant", name: "SEP", file: "a.py", line: 1, before: '",   "', after: '",  "' }
    ]
    expect(briefText({ ...emptyBrief, values }, "short", page)).toEqual([
      'Changed     changed constant SEP: ",   " → ",  "  a.py:1'
    ])
  })
})
