import { describe, expect } from "bun:test"
import { Result } from "effect"
import type { DiffFile } from "../../../src/domain/change/Diff.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { it } from "../../support/effect.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const latin = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))

const filesOf = (text: string | Uint8Array): ReadonlyArray<DiffFile> =>
  Result.getOrThrow(parseDiff(typeof text === "string" ? bytes(text) : text)).files

const fileOf = (text: string | Uint8Array): DiffFile => {
  const files = filesOf(text)
  expect(files.length).toBe(1)
  return files[0]!
}

const refused = (text: string) => {
  const { line, reason } = Result.getOrThrow(Result.flip(parseDiff(bytes(text))))
  return { line, reason }
}

const oid = "1".repeat(40)
const other = "2".repeat(40)
const edit = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ def f():\n keep\n-old\n+new\n"

describe("parseDiff", () => {
  it("numbers the lines of a hunk on both sides and keeps its section", () => {
    const file = fileOf(`diff --git a/x b/x\nindex ${oid}..${other} 100644\n${edit}`)
    expect(file).toMatchObject({
      status: "modified",
      path: "x",
      oldPath: "x",
      newPath: "x",
      oldMode: "100644",
      newMode: "100644",
      oldOid: oid,
      newOid: other,
      binary: false
    })
    expect(file.hunks).toEqual([
      {
        oldStart: 1,
        oldCount: 2,
        newStart: 1,
        newCount: 2,
        section: "def f():",
        lines: [
          { kind: "context", oldLine: 1, newLine: 1, text: "keep", raw: null, noNewline: false },
          { kind: "deleted", oldLine: 2, newLine: null, text: "old", raw: null, noNewline: false },
          { kind: "added", oldLine: null, newLine: 2, text: "new", raw: null, noNewline: false }
        ]
      }
    ])
  })

  it("ignores object names that are short or all zeros", () => {
    const file = fileOf(`diff --git a/x b/x\nindex 1234567..${"0".repeat(40)} 100644\n${edit}`)
    expect([file.oldOid, file.newOid]).toEqual([null, null])
  })

  it("recognises new, deleted, renamed, copied and mode-only files", () => {
    const text =
      `diff --git a/n b/n\nnew file mode 100755\nindex ${"0".repeat(40)}..${oid}\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n` +
      "diff --git a/empty b/empty\nnew file mode 100644\n" +
      "diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n" +
      "diff --git a/a b/z b/b y\nsimilarity index 97%\nrename from a b/z\nrename to b y\n" +
      "diff --git a/c b/c2\nsimilarity index 100%\ncopy from c\ncopy to c2\n" +
      "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
    const short = filesOf(text).map((f) => [f.status, f.path, f.oldPath, f.newPath, f.oldMode, f.newMode])
    expect(short).toEqual([
      ["added", "n", null, "n", null, "100755"],
      ["added", "empty", null, "empty", null, "100644"],
      ["deleted", "d", "d", null, "100644", null],
      ["renamed", "b y", "a b/z", "b y", null, null],
      ["copied", "c2", "c", "c2", null, null],
      ["modified", "m", "m", "m", "100644", "100755"]
    ])
  })

  it("shows a file that became a link as one type change", () => {
    const text =
      "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n" +
      "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n"
    const file = fileOf(text)
    expect(file).toMatchObject({
      status: "type-changed",
      oldMode: "100644",
      newMode: "120000",
      oldPath: "x",
      newPath: "x"
    })
    expect(file.hunks.map((h) => [h.oldStart, h.oldCount, h.newStart, h.newCount])).toEqual([[1, 1, 1, 1]])
    expect(file.hunks[0]!.lines.map((line) => [line.kind, line.text, line.noNewline])).toEqual([
      ["deleted", "text", false],
      ["added", "target", true]
    ])
  })

  it("keeps two files apart that are not one type change", () => {
    const text =
      "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n" +
      "diff --git a/y b/y\nnew file mode 120000\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+target\n"
    expect(filesOf(text).map((file) => file.status)).toEqual(["deleted", "added"])
  })

  it("reads binary files and skips the content of a binary patch", () => {
    const text =
      "diff --git a/b b/b\nnew file mode 100644\nBinary files /dev/null and b/b differ\n" +
      "diff --git a/p b/p\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n" +
      `diff --git a/x b/x\n${edit}`
    expect(filesOf(text).map((file) => [file.path, file.binary, file.hunks.length])).toEqual([
      ["b", true, 0],
      ["p", true, 0],
      ["x", false, 1]
    ])
  })

  it("reads a submodule's move as its two commits", () => {
    const file = fileOf(
      `diff --git a/sub b/sub\nindex ${oid}..${other} 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit ${oid}\n+Subproject commit ${other}\n`
    )
    expect([file.oldMode, file.newMode]).toEqual(["160000", "160000"])
  })

  it.each([
    ["a space", "diff --git a/a b b/a b", "a b"],
    ["another file's prefix inside", "diff --git a/x b/y b/x b/y", "x b/y"],
    ["quotes and a tab", 'diff --git "a/q\\"\\t" "b/q\\"\\t"', 'q"\t'],
    ["octal UTF-8", 'diff --git "a/\\303\\251" "b/\\303\\251"', "é"],
    ["octal bytes that are not UTF-8", 'diff --git "a/\\377x" "b/\\377x"', "\\xffx"],
    ["unquoted UTF-8", "diff --git a/é b/é", "é"],
    ["no prefix at all", "diff --git src/x src/x", "src/x"],
    ["no prefix and a space", "diff --git a b a b", "a b"],
    ["mnemonic prefixes", "diff --git i/x w/x", "x"],
    ["prefixes the user chose", "diff --git old/x new/x", "x"]
  ])("tells the name apart with %s", (_, header, path) => {
    expect(fileOf(`${header}\nold mode 100644\nnew mode 100755\n`)).toMatchObject({
      path,
      oldPath: path,
      newPath: path
    })
  })

  it("keeps a raw byte in an unquoted name as \\xHH", () => {
    expect(fileOf(latin("diff --git a/\xff b/\xff\nold mode 100644\nnew mode 100755\n")).path).toBe("\\xff")
  })

  it("takes names of a rename from the rename lines, quoted or not", () => {
    const file = fileOf('diff --git a/old "b/n\\tw"\nsimilarity index 90%\nrename from old\nrename to "n\\tw"\n')
    expect([file.oldPath, file.newPath]).toEqual(["old", "n\tw"])
  })

  it("keeps a carriage return at the end of a line as its text", () => {
    const lines = fileOf("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n").hunks[0]!.lines
    expect(lines.map((line) => line.text)).toEqual(["a\r", "b\r"])
  })

  it("marks a missing newline on the side that misses it", () => {
    const no = "\\ No newline at end of file\n"
    const kinds = (body: string) =>
      fileOf(`--- a/x\n+++ b/x\n@@ -1 +1 @@\n${body}`).hunks[0]!.lines.map((line) => [line.kind, line.noNewline])
    expect(kinds(`-a\n${no}+b\n`)).toEqual([
      ["deleted", true],
      ["added", false]
    ])
    expect(kinds(`-a\n+b\n${no}`)).toEqual([
      ["deleted", false],
      ["added", true]
    ])
    expect(kinds(`-a\n${no}+b\n${no}`)).toEqual([
      ["deleted", true],
      ["added", true]
    ])
    expect(kinds(` a\n${no}`)).toEqual([["context", true]])
  })

  it("keeps the bytes of a line that is not UTF-8, and only of that line", () => {
    const lines = fileOf(latin("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n fine\n-caf\xe9\n+cafe\n")).hunks[0]!.lines
    expect(lines.map((line) => line.raw && [...line.raw])).toEqual([null, [99, 97, 102, 0xe9], null])
    expect(lines[1]!.text).toBe("caf\ufffd")
  })

  it("reads text that looks like a diff as text", () => {
    const body = ["-- a/x", "++ b/x", "@ -1 +1 @@", "iff --git a/y b/y"]
    const file = fileOf(`--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-${body[0]}\n-${body[2]}\n+${body[1]}\n+d${body[3]}\n`)
    expect(file.hunks[0]!.lines.length).toBe(4)
  })

  it("accepts an empty context line whose blank a mailer dropped", () => {
    expect(fileOf("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n").hunks[0]!.lines[1]!.text).toBe("")
  })

  it("reads a mail: text before, signature after, the next mail behind it", () => {
    const mail = (path: string) =>
      `From ${oid} Mon Sep 17 00:00:00 2001\nFrom: Ada <ada@example.com>\nSubject: [PATCH] x\n\nWhy.\n---\n ${path} | 2 +-\n 1 file changed\n\n` +
      `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n`
    expect(filesOf(mail("one") + mail("two")).map((file) => file.path)).toEqual(["one", "two"])
  })

  it("reads `git show` with an indented diff in its message", () => {
    expect(
      filesOf(`commit ${oid}\nAuthor: Ada\n\n    why\n    diff --git a/no b/no\n\ndiff --git a/x b/x\n${edit}`)[0]!.path
    ).toBe("x")
  })

  it("reads plain diffs of other tools, dates and missing sides included", () => {
    const plain =
      "--- old/x.c\t2026-01-02 03:04:05.000000000 +0000\n+++ new/x.c\t2026-01-02 03:04:06.000000000 +0000\n@@ -1 +1 @@\n-a\n+b\n" +
      "--- old/n.c\t1970-01-01 00:00:00.000000000 +0000\n+++ new/n.c\t2026-01-02 03:04:06.000000000 +0000\n@@ -0,0 +1 @@\n+b\n" +
      "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n" +
      "Index: svn.c\n===================================================================\n--- svn.c\t(revision 1)\n+++ svn.c\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n"
    expect(filesOf(plain).map((file) => [file.status, file.path])).toEqual([
      ["modified", "x.c"],
      ["added", "n.c"],
      ["deleted", "gone"],
      ["modified", "svn.c"]
    ])
  })

  it("ends a name at a tab", () => {
    expect(fileOf("diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n").path).toBe("x y")
  })

  it("reads headers of a patch whose lines all end in CRLF", () => {
    const file = fileOf(`diff --git a/x b/x\nindex ${oid}..${other} 100644\n${edit}`.replaceAll("\n", "\r\n"))
    expect([file.path, file.newOid, file.hunks[0]!.section]).toEqual(["x", other, "def f():"])
  })

  it("passes by an unmerged path's note", () => {
    expect(filesOf(`* Unmerged path x\ndiff --git a/x b/x\n${edit}`).length).toBe(1)
  })

  it("returns no files for blank input", () => {
    expect(filesOf("")).toEqual([])
    expect(filesOf("\n \n")).toEqual([])
  })

  it.each([
    ["text that is no diff", "hello\nworld\n", 1, /no file header/],
    ["text with colours", "commit 1\n\n\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n", 3, /--no-color/],
    ["text with a graph", "* commit 1\n| \n| diff --git a/x b/x\n| --- a/x\n", 3, /--graph/],
    ["text with a graph and colours", "\x1b[31m|\x1b[m \x1b[1mdiff --git a/x b/x\x1b[m\n", 1, /--no-color/],
    ["a combined diff", `diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n`, 1, /combined/],
    ["a hunk without a file", "@@ -1 +1 @@\n-a\n+b\n", 1, /precedes the first file name/],
    ["a hunk that ends early", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n", 4, /ends inside the hunk/],
    ["a hunk with a line too many", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", 6, /more lines/],
    ["a hunk with too many of one kind", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n", 5, /other lines than/],
    ["a foreign line in a hunk", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n?b\n", 5, /not a line of the hunk/],
    ["a broken hunk header", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,x +1 @@\n", 4, /not a hunk header/],
    ["names without hunks", "diff --git a/x b/x\n--- a/x\n+++ b/x\n", 3, /no hunk follows/],
    ["half of the names", "diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n", 3, /not followed by/],
    ["names that cannot be told apart", "diff --git a/x b/y\nold mode 100644\n", 1, /told apart/],
    ["overlapping hunks", `${edit}@@ -2 +2 @@\n-a\n+b\n`, 7, /before the one above/]
  ])("names the line and the cause of %s", (_, text, line, reason) => {
    const error = refused(text)
    expect(error.line).toBe(line)
    expect(error.reason).toMatch(reason)
  })

  it("bounds what it repeats of a hostile line", () => {
    expect(refused(`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ ${"y".repeat(100_000)}\n`).reason.length).toBeLessThan(200)
  })

  it("is not slowed down by a header line of a million words", () => {
    expect(refused(`diff --git a/x ${"y ".repeat(1_000_000)}b/y\n`).reason).toMatch(/told apart/)
    expect(refused(`diff --git a/x${' "'.repeat(1_000_000)}\n`).reason).toMatch(/told apart/)
  })
})
