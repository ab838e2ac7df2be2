import { expect, test } from "bun:test"
import type { Form, FormalHunk } from "../../../src/domain/brief/Form.ts"
import { readingDiff } from "../../../src/domain/brief/readingDiff.ts"
import { changeOf } from "../../support/changeOf.ts"

const { diff } = changeOf({
  "a.ts": ["one\ntwo\nthree\n", "one\ndos\ntres\nthree\n"],
  "b.ts": ["b\n", "c\n"]
})

const hunk = (over: Partial<FormalHunk>): FormalHunk => ({
  form: "reformatted",
  file: "a.ts",
  line: 2,
  added: 0,
  base: 0,
  deleted: 0,
  from: null,
  to: null,
  differs: [],
  ...over
})

const shown = (form: Partial<Form>): ReadonlyArray<string> =>
  readingDiff(diff, { lines: 0, formal: 0, hunks: [], movedFiles: [], order: [], ...form }).map((line) =>
    line.kind === "folded" ? `folded +${line.added} -${line.deleted}` : `${line.kind} ${line.text}`
  )

test("files are in the order in which to read them", () => {
  const order = [{ file: "b.ts", line: 1, reason: "adds c" }]
  expect(shown({ order })).toEqual([
    "file b.ts",
    "hunk @@ -1,1 +1,1 @@",
    "deleted b",
    "added c",
    "file a.ts",
    "hunk @@ -1,3 +1,4 @@",
    "context one",
    "deleted two",
    "added dos",
    "added tres",
    "context three"
  ])
})

test("lines that are only form are folded", () => {
  expect(shown({ hunks: [hunk({ added: 1, base: 2, deleted: 1 })] }).slice(0, 6)).toEqual([
    "file a.ts",
    "hunk @@ -1,3 +1,4 @@",
    "context one",
    "folded +1 -1",
    "added tres",
    "context three"
  ])
})

test("a hunk without a line to read has no context", () => {
  expect(shown({ hunks: [hunk({ added: 2, base: 2, deleted: 1 })] }).slice(0, 3)).toEqual([
    "file a.ts",
    "folded +2 -1",
    "file b.ts"
  ])
})
