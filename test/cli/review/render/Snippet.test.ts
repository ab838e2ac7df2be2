import { describe, expect, it } from "bun:test"
import {
  type Code,
  cutAtDifferences,
  type Frame,
  type Mark,
  snippet
} from "../../../../src/cli/review/render/Snippet.ts"
import { inkFor } from "../../../../src/cli/text/Ink.ts"

const plain = (width = 80): Frame => ({ ink: inkFor(false), severity: "high", width, digits: 2 })
const code = (...lines: ReadonlyArray<string>): Code => ({ lines, tokens: new Map() })
const mark = (line: number, column: number | null, endColumn: number | null, label: string | null = null): Mark => ({
  line,
  endLine: line,
  column,
  endColumn,
  label
})
const shown = (...parameters: Parameters<typeof snippet>): string => snippet(...parameters).join("\n")

describe("the code of a finding", () => {
  const cart = code(
    "def total(items):",
    "    seen = set()",
    "    for item in items:",
    "        items.remove(item)",
    "    return 0"
  )

  it("has carets under the columns, and the label beside them", () => {
    expect(shown(cart, mark(4, 9, 27, "changes what it iterates"), [], plain())).toBe(
      [
        "   |",
        " 2 |     seen = set()",
        " 3 |     for item in items:",
        " 4 |         items.remove(item)",
        "   |         ^^^^^^^^^^^^^^^^^^ changes what it iterates",
        " 5 |     return 0",
        "   |"
      ].join("\n")
    )
  })

  it("marks a whole line from its first to its last character", () => {
    expect(shown(cart, mark(2, null, null), [], plain())).toContain("   |     ^^^^^^^^^^^^\n")
  })

  it("shows other places of the file below their own lines, and leaves out the code between", () => {
    const long = code("a()", "b()", "c()", "d()", "e()", "f()", "g()", "h()")
    expect(shown(long, mark(1, 1, 2, "here"), [mark(8, 1, 2, "and there")], plain())).toBe(
      ["   |", " 1 | a()", "   | ^ here", " 2 | b()", " 3 | c()", "...", " 8 | h()", "   | - and there", "   |"].join(
        "\n"
      )
    )
  })

  it("shows a line instead of a gap of one line", () => {
    const long = code("a()", "b()", "c()", "d()", "e()")
    expect(shown(long, mark(1, 1, 2), [mark(5, 1, 2)], plain())).toContain(" 4 | d()")
  })

  it("draws a bracket beside a range of several lines", () => {
    const range: Mark = { line: 3, endLine: 4, column: 5, endColumn: 27, label: "the loop" }
    expect(shown(cart, range, [], plain())).toBe(
      [
        "   |",
        " 1 |   def total(items):",
        " 2 |       seen = set()",
        " 3 | /     for item in items:",
        " 4 | |         items.remove(item)",
        "   | |__________________________^ the loop",
        " 5 |       return 0",
        "   |"
      ].join("\n")
    )
  })

  it("marks the first column of a range of several lines that begins inside its line", () => {
    const range: Mark = { line: 1, endLine: 3, column: 11, endColumn: 2, label: "the call" }
    const call = code("const a = run(", "  command,", ")", "")
    expect(shown(call, range, [], plain())).toBe(
      [
        "   |",
        " 1 |   const a = run(",
        "   |  ___________^",
        " 2 | |   command,",
        " 3 | | )",
        "   | |_^ the call",
        "   |"
      ].join("\n")
    )
  })

  it("leaves out the middle of a long range", () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line${at + 1}`)
    const rows = snippet(code(...lines), { ...mark(5, null, null), endLine: 25 }, [], plain())
    expect(rows.filter((row) => row === "...")).toHaveLength(1)
    expect(rows.join("\n")).toContain("25 | | line25\n   | |______^")
    expect(rows.join("\n")).not.toContain("line15")
  })

  it("cuts a long line around the mark, never the mark itself", () => {
    const line = `const a = "${"x".repeat(200)}"; if (b = 1) run("${"y".repeat(200)}")`
    const at = line.indexOf("b = 1") + 1
    const rows = snippet(code(line), mark(1, at, at + 5, "assigned"), [], plain(60))
    const [codeRow = "", carets = ""] = rows.slice(1)
    expect(codeRow).toMatch(/^ 1 \| ….*b = 1.*…$/)
    expect(codeRow.length).toBeLessThanOrEqual(60)
    expect(codeRow.slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1)).toBe("b = 1")
  })

  it("begins a shorter line beside it at its own start", () => {
    const line = `${"x".repeat(200)}; if (b = 1) y()`
    const at = line.indexOf("b = 1") + 1
    expect(snippet(code("const a = 2", "", line), mark(3, at, at + 5), [], plain(60))[1]).toBe(" 1 | const a = 2")
  })

  it("cuts a long line on the right only, if the mark is at its beginning", () => {
    const rows = snippet(code(`run(${"x".repeat(200)})`), mark(1, 1, 4), [], plain(60))
    expect(rows[1]).toMatch(/^ 1 \| run\(x+…$/)
    expect(rows[1]).toHaveLength(60)
  })

  it("puts carets under wide characters", () => {
    expect(shown(code('名前 = "值" is x'), mark(1, 6, 9), [], plain())).toContain("   |        ^^^^\n")
  })

  it("puts a label that has no room beside the carets below them", () => {
    const rows = snippet(code("abcdefghij"), mark(1, 1, 11, "a label of many words that does not fit"), [], plain(40))
    expect(rows).toContain("   | ^^^^^^^^^^")
    expect(rows).toContain("   | a label of many words that does not")
  })

  it("is empty if the file has no such line", () => {
    expect(snippet(code("a"), mark(7, 1, 2), [], plain())).toEqual([])
    expect(snippet(code(), mark(1, 1, 2), [], plain())).toEqual([])
  })

  it("colours tokens without a change of the text", () => {
    const tokens = new Map([[1, [{ kind: "keyword" as const, line: 1, column: 1, endColumn: 4 }]]])
    const rows = snippet({ lines: ["def f(): pass"], tokens }, mark(1, 5, 6), [], { ...plain(), ink: inkFor(true) })
    expect(rows.join("\n")).toContain("\u001b[35mdef\u001b[0m f(): pass")
  })
})

describe("two versions of a long line", () => {
  it("are cut so that the first difference is visible", () => {
    const line = (operator: string) => `${"a = 1; ".repeat(40)}if (b ${operator} 1) run(${"c, ".repeat(60)}d)`
    const [[before = ""], [after = ""]] = cutAtDifferences([line("=")], [line("===")], 50)
    expect(before).toMatch(/^….*if \(b = 1\).*…$/)
    expect(after).toMatch(/^….*if \(b === 1\).*…$/)
    expect([before.length <= 50, after.length <= 50]).toEqual([true, true])
  })

  it("stay whole if they fit", () => {
    expect(cutAtDifferences(["if (a = 1)"], ["if (a == 1)"], 50)).toEqual([["if (a = 1)"], ["if (a == 1)"]])
    expect(cutAtDifferences([], ["a"], 50)).toEqual([[], ["a"]])
  })
})
