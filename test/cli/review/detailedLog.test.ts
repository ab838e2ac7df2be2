import { expect, test } from "bun:test"
import { coverageLines } from "../../../src/cli/review/detailedLog.ts"
import type { FileCoverage } from "../../../src/domain/change/Coverage.ts"

const file = (path: string, status: FileCoverage["status"] = "reviewed", reason = ""): FileCoverage => ({
  path,
  status,
  reason
})
const many = (count: number, path: (at: number) => string, status?: FileCoverage["status"], reason?: string) =>
  Array.from({ length: count }, (_, at) => file(path(at), status, reason))

const linesOf = (files: ReadonlyArray<FileCoverage>) =>
  coverageLines({ brief: null, coverage: { filesInDiff: files.length, filesReviewed: 0, files } })

test("-v names the few files of a small change, and why some were not read", () => {
  expect(
    linesOf([
      file("a.py"),
      file("img/logo.png", "skipped", "binary"),
      file("b.py"),
      file("c.py", "unread", "too large")
    ])
  ).toEqual([
    ["read", "a.py, b.py"],
    ["skipped", "binary: img/logo.png"],
    ["not read", "too large: c.py"]
  ])
})

test("-v names folders in place of 500 files, and every file that was left out", () => {
  const files = [
    ...many(300, (at) => `src/deep/a${at}.ts`),
    ...many(60, (at) => `lib/b${at}.ts`),
    ...many(2, (at) => `lib/logo${at}.png`, "skipped", "binary"),
    ...many(130, (at) => `vendor/v${at % 9}/c${at}.js`, "skipped", "vendored"),
    ...many(5, (at) => `lib/icons/d${at}.png`, "skipped", "binary"),
    ...many(3, (at) => `test/e${at}.ts`)
  ]
  expect(linesOf(files)).toEqual([
    ["read", "src/ (300 files), lib/ (60 of 62 files), test/e0.ts, test/e1.ts, test/e2.ts"],
    ["skipped", "vendored: vendor/ (130 files)"],
    ["skipped", "binary: lib/logo0.png, lib/logo1.png, lib/icons/ (5 files)"]
  ])
})

test("-v names all files that were left out of a folder from which others were read", () => {
  const left = many(9, (at) => `src/a${at}.png`, "skipped", "binary")
  const [, [, text] = []] = linesOf([...left, ...many(9, (at) => `src/b${at}.ts`)])
  for (const { path } of left) expect(text).toContain(path)
})
