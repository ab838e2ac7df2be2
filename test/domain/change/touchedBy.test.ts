import { expect, test } from "bun:test"
import { touchedBy } from "../../../src/domain/change/HunkIndex.ts"
import { diffFile } from "../../support/change.ts"

const text = (lines: ReadonlyArray<string>) => `${lines.join("\n")}\n`
const touched = (base: ReadonlyArray<string>, head: ReadonlyArray<string>, line: number, endLine: number) =>
  touchedBy(diffFile("a.ts", text(base), text(head)), line, endLine)

test("an added line inside touches, one outside does not", () => {
  expect(touched(["a", "b", "c"], ["a", "x", "b", "c"], 1, 3)).toBe(true)
  expect(touched(["a", "b", "c"], ["a", "b", "c", "x"], 1, 3)).toBe(false)
})
test("a line that is gone from the middle touches, one before or behind does not", () => {
  expect(touched(["a", "b", "c", "d"], ["a", "c", "d"], 1, 3)).toBe(true)
  expect(touched(["a", "b", "c", "d"], ["b", "c", "d"], 1, 3)).toBe(false)
  expect(touched(["a", "b", "c", "d"], ["a", "b", "c"], 1, 3)).toBe(false)
})
