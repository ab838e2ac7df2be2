import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import { linesReturned } from "../../../src/domain/agent/linesReturned.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { changeOf } from "../../support/change.ts"

const lines = Array.from({ length: 20 }, (_, at) => `value ${at + 1} = compute(${at})`)
const { files } = changeOf({
  "src/a.py": ["old\n", `${lines.join("\n")}\n`],
  "a.py": [null, "other\n"]
}).diff

const seen = (name: string, input: Record<string, unknown>, output: string) =>
  linesReturned({ name, input }, output, files).map(({ from, path, side, to }) => `${side} ${path} ${from}-${to}`)

const page = (from: number, to: number, mark = "\t") =>
  lines
    .slice(from - 1, to)
    .map((text, at) => `${from + at}${mark}${text}`)
    .join("\n")

describe("the lines a tool has returned", () => {
  test("are those that dd's read_file shows, on the side it names, without the ones it cut", () => {
    const output = `src/a.py (head), 20 lines\n${page(2, 6)}\n7\tvalue… [900 more characters]\n[13 more lines: ask again from 8]`
    expect(seen("read_file", { path: "a/src/a.py" }, output)).toEqual(["head src/a.py 2-6"])
    expect(seen("read_file", { path: "src/a.py", side: "base" }, "src/a.py (base), 1 line\n1\told")).toEqual([
      "base src/a.py 1-1"
    ])
  })

  test("are those that dd's diff shows as added or deleted", () => {
    const output = [
      "modified\tsrc/a.py\t+20 -1, 1 hunk",
      "hunk 1: @@ -1,1 +1,20 @@",
      " 1    -old",
      "    1 +value",
      "    2 +value"
    ]
    expect(seen("diff", { path: "src/a.py" }, output.join("\n"))).toEqual(["base src/a.py 1-1", "head src/a.py 1-2"])
    const cut = " 1    -old … [90 more characters]\n    2 +value [of 900 characters]\n    3 +value"
    expect(seen("diff", { path: "src/a.py" }, cut)).toEqual(["head src/a.py 3-3"])
    expect(seen("diff", {}, "2 changed files: it\nmodified\tsrc/a.py\t+20 -1, 1 hunk")).toEqual([])
  })

  test("are those that searches print, under their path or behind it", () => {
    expect(seen("grep", { pattern: "x" }, "2 matching lines in 9 files (head)\nsrc/a.py\n4: value\n5- value")).toEqual([
      "head src/a.py 4-5"
    ])
    const printed = `src/a.py:4:${lines[3]}\nsrc/a.py-5-${lines[4]}\nsrc/b.py:6:${lines[5]}`
    expect(seen("Grep", { pattern: "x" }, printed)).toEqual(["head src/a.py 4-5"])
    expect(seen("Grep", { pattern: "x", path: "src/a.py" }, `4:${lines[3]}`)).toEqual(["head src/a.py 4-4"])
    expect(seen("Grep", { pattern: "x" }, "src/a.py\na.py")).toEqual([])
    // Text of a file that looks like a number of the tool.
    expect(seen("Grep", { pattern: "x", path: "src/a.py" }, "4: whatever\nsrc/a.py:5:whatever")).toEqual([])
    const cut = "2 matching lines in 9 files (head)\nsrc/a.py\n4: value … [90 more characters]\n5: value"
    expect(seen("grep", { pattern: "x" }, cut)).toEqual(["head src/a.py 5-5"])
  })

  test("are those a coding CLI reads in its copy, and not those of a file of the same name elsewhere", () => {
    expect(seen("Read", { file_path: "/tmp/head-1/files/src/a.py" }, page(1, 3, "→"))).toEqual(["head src/a.py 1-3"])
    expect(seen("Read", { file_path: "src/a.py", offset: 3 }, page(3, 4))).toEqual(["head src/a.py 3-4"])
    expect(seen("Read", { file_path: "/tmp/head-1/files/lib.py" }, page(1, 3))).toEqual([])
    // The file's own text is not a number of the tool, and half a line is not a line.
    expect(seen("read", { path: "src/a.py" }, "1\twhatever\n2\tvalue 2 = comp")).toEqual([])
    expect(seen("Read", { file_path: "src/a.py" }, "4\tvalue = [REDACTED_SECRET]")).toEqual(["head src/a.py 4-4"])
  })

  test("are searched for with two million comparisons at most", () => {
    const hunks = Array.from({ length: 300 }, (_, at) => `@@ -${at},0 +${200 * at + 1},100 @@\n${"+}\n".repeat(100)}`)
    const patch = `diff --git a/b.js b/b.js\n--- a/b.js\n+++ b/b.js\n${hunks.join("")}`
    const { files } = Result.getOrThrow(parseDiff(new TextEncoder().encode(patch)))
    const returned = linesReturned({ name: "shell", input: { command: "cat b.js" } }, "}\n".repeat(30_000), files)
    // 67 lines of the diff times 30,000 lines of the text are two million comparisons.
    expect(returned).toEqual([{ path: "b.js", side: "head", from: 1, to: 67 }])
  })

  test("are those of a file with CRLF, too", () => {
    const output = `${page(1, 3)}\n`.replaceAll("\n", "\r\n")
    expect(seen("Read", { file_path: "src/a.py" }, output)).toEqual(["head src/a.py 1-3"])
    const text = `${lines.slice(4, 12).join("\r\n")}\r\n`
    expect(seen("shell", { command: "cat src/a.py" }, text)).toEqual(["head src/a.py 5-12"])
  })

  test("are those of the diff that a text without numbers contains", () => {
    const text = lines.slice(4, 12).join("\n")
    expect(seen("shell", { command: "sed -n 5,12p src/a.py" }, text)).toEqual(["head src/a.py 5-12"])
    expect(seen("read", { path: "src/a.py", offset: 5, limit: 8 }, text)).toEqual(["head src/a.py 5-12"])
    expect(seen("shell", { command: "nl -ba src/a.py" }, page(5, 12))).toEqual(["head src/a.py 5-12"])
    // What was only asked for does not count.
    expect(seen("shell", { command: "cat src/a.py" }, "")).toEqual([])
    expect(seen("shell", { command: "cat src/a.py" }, lines.slice(0, 2).join("\n"))).toEqual([])
    expect(seen("shell", { command: "ls" }, text)).toEqual([])
  })
})
