import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import { commitMessage } from "../../../src/domain/fix/commitMessage.ts"
import { applyEdits } from "../../../src/domain/fix/Edit.ts"

const applied = (text: string, ...edits: Parameters<typeof applyEdits>[1]) =>
  Result.getOrElse(applyEdits(text, edits), (reason) => `refused: ${reason}`)

describe("applyEdits", () => {
  test("replaces, deletes and keeps the rest, whatever the order of the edits", () => {
    const edits = [
      { line: 4, endLine: 4, text: "" },
      { line: 2, endLine: 3, text: "two\nand a half\nthree" }
    ]
    expect(applied("1\n2\n3\n4\n5\n", ...edits)).toBe("1\ntwo\nand a half\nthree\n5\n")
    expect(applied("1\n2\n3\n4\n5\n", ...edits.toReversed())).toBe("1\ntwo\nand a half\nthree\n5\n")
  })

  test("keeps the line ends of the file, and its last line without one", () => {
    expect(applied("1\r\n2\r\n", { line: 2, endLine: 2, text: "two\nthree" })).toBe("1\r\ntwo\r\nthree\r\n")
    expect(applied("1\n2", { line: 2, endLine: 2, text: "two" })).toBe("1\ntwo")
  })

  test("makes the same edit once, also if two findings suggest it", () => {
    const edit = { line: 1, endLine: 1, text: "x" }
    expect(applied("1\n2\n", edit, { ...edit })).toBe("x\n2\n")
  })

  test("refuses edits of the same line and of lines that are not there", () => {
    const edit = { line: 1, endLine: 2, text: "x" }
    expect(applied("1\n2\n3\n", edit, { line: 2, endLine: 3, text: "y" })).toBe("refused: another fix changes line 2")
    expect(applied("1\n", edit)).toBe("refused: the file has 1 line, not 2")
  })
})

describe("the message of a commit of fixes", () => {
  test("names the pull request and the comments, and does not quote them", () => {
    const fixed = [{ file: "a.py", line: 3, title: "@everyone, this closes #1" }]
    const feedback = { pullRequest: 7, trailer: "Daydream-Feedback: 123" }
    expect(commitMessage(fixed, { run: "r1", version: "1.2.3" }, feedback)).toBe(
      "fix: review comments on #7\n\n- a.py:3\n\nDaydream-Run: r1\nDaydream-Version: 1.2.3\nDaydream-Feedback: 123\n"
    )
  })

  test("is conventional, short in its subject, and names the run", () => {
    const fixed = { file: "a.py", line: 3, title: `A very long title ${"word ".repeat(30)}` }
    const lines = commitMessage([fixed], { run: "r1", version: "1.2.3" }).split("\n")
    expect(lines[0]).toMatch(/^fix: A very long title/)
    expect(lines[0]!.length).toBeLessThanOrEqual(72)
    expect(lines.slice(-3)).toEqual(["Daydream-Run: r1", "Daydream-Version: 1.2.3", ""])
  })
})
