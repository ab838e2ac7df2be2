import { describe, expect } from "bun:test"
import { Result } from "effect"
import { parseDiff } from "../../src/domain/change/parseDiff.ts"
import { tokenEstimate } from "../../src/domain/text/tokenEstimate.ts"
import { cutLongLine, diffText } from "../../src/prompts/diffText.ts"
import { changeOf, type Texts } from "../support/change.ts"
import { it } from "../support/effect.ts"

const filesOf = (texts: Texts) => changeOf(texts).diff.files
const lines = (count: number, word: string) =>
  `${Array.from({ length: count }, (_, at) => `${word} ${at}`).join("\n")}\n`

describe("diffText", () => {
  it("numbers lines as after the change, and marks what came and went", () => {
    const { left, text } = diffText(
      filesOf({ "a.py": ["import os\nx = 1\nend\n", "import os\nx = 2\ny = 3\nend\n"] }),
      1_000
    )
    expect(text).toBe(
      [
        "=== a.py (modified, +2 -1)",
        "@@ line 1 @@",
        "1   import os",
        "  - x = 1",
        "2 + x = 2",
        "3 + y = 3",
        "4   end"
      ].join("\n")
    )
    expect(left).toEqual([])
  })

  it("has each source file with the tests named after it, then other tests, configuration and documents", () => {
    const paths = [
      "README.md",
      "app/__tests__/cart.test.ts",
      "app/__tests__/flow.test.ts",
      "app/cart.ts",
      "app/menu.ts",
      "package.json",
      "tests/test_menu.py"
    ]
    const { text } = diffText(filesOf(Object.fromEntries(paths.map((path) => [path, [null, "x\n"]]))), 10_000)
    expect([...text.matchAll(/^=== (\S+)/gm)].map(([, path]) => path ?? "")).toEqual([
      "app/cart.ts",
      "app/__tests__/cart.test.ts",
      "app/menu.ts",
      "tests/test_menu.py",
      "app/__tests__/flow.test.ts",
      "package.json",
      "README.md"
    ])
  })

  it("stays within its limit, and reports the place and size of everything that is missing", () => {
    const files = filesOf({
      "src/a.ts": [null, lines(900, "const first")],
      "src/b.ts": [null, lines(20, "const second")],
      "test/b.test.ts": [null, lines(900, "check")],
      "README.md": [null, lines(900, "word")]
    })
    for (const room of [100, 500, 2_000, 6_000]) {
      const { left, text } = diffText(files, room)
      expect(tokenEstimate(text)).toBeLessThanOrEqual(room * 1.15 + 60)
      const unseen = files.filter(({ path }) => !text.includes(`=== ${path} `)).map(({ path }) => path)
      for (const path of unseen) expect(left.map((each) => each.path)).toContain(path)
      expect(left).not.toHaveLength(0)
    }
    expect(diffText(files, 6_000).text).toContain("of src/a.ts not shown]")
  })

  it("counts as shown what the text shows, however little room there is", () => {
    const hunks = [20, 12, 9, 15].map((size, at) => {
      const added = Array.from({ length: size }, (_, line) => `+value ${at} ${line}\n`).join("")
      return `@@ -${at},0 +${100 * at + 1},${size} @@ def section_${at}(a, b):\n${added}`
    })
    const patch = `diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n${hunks.join("")}`
    const { files } = Result.getOrThrow(parseDiff(new TextEncoder().encode(patch)))
    const added = files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines.map(({ newLine }) => newLine ?? 0)))
    for (let room = 200; room < 600; room++) {
      const { shown, text } = diffText(files, room)
      const printed = Array.from(text.matchAll(/^ *(\d+) \+/gm), ([, line]) => Number(line))
      const counted = added.filter((at) => shown.some(({ from, to }) => from <= at && at <= to))
      expect({ room, counted }).toEqual({ room, counted: printed })
    }
  })

  it("shows source before tests before documents", () => {
    const files = filesOf({
      "a.md": [null, lines(60, "word")],
      "b_test.go": [null, lines(60, "check")],
      "c.go": [null, lines(60, "code")]
    })
    const { left, text } = diffText(files, 700)
    expect(text).toContain("=== c.go")
    expect(left[0]?.path).toBe("a.md")
  })

  it("does not spend room on what machines wrote", () => {
    const { left, text } = diffText(
      filesOf({ "package-lock.json": [null, lines(5, "x")], "a.ts": [null, "x\n"] }),
      1_000
    )
    expect(text).not.toContain("package-lock")
    expect(left).toEqual([{ path: "package-lock.json", why: "written by a machine or by others: added, +5 -0" }])
  })

  it("cuts a very long line", () => {
    expect(cutLongLine("x".repeat(2_200))).toBe(`${"x".repeat(2_000)} [200 more characters]`)
    expect(cutLongLine("short\r")).toBe("short")
  })

  it("is empty for an empty change", () => {
    expect(diffText([], 1_000)).toEqual({ text: "", left: [], shown: [] })
  })
})
