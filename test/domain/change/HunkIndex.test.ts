import { describe, expect } from "bun:test"
import { Result, Schema } from "effect"
import { HunkIndex } from "../../../src/domain/change/HunkIndex.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { it } from "../../support/effect.ts"

const indexOf = (text: string) => new HunkIndex(Result.getOrThrow(parseDiff(new TextEncoder().encode(text))))

const twoHunks = indexOf(
  "--- a/x\n+++ b/x\n@@ -3,3 +3,4 @@\n a\n+b\n c\n d\n@@ -20,2 +21,2 @@\n-e\n+f\n g\n" +
    "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-e\n"
)

describe("HunkIndex", () => {
  it("contains the context and added lines of hunks and nothing else", () => {
    const lines = Array.from({ length: 30 }, (_, i) => i).filter((line) => twoHunks.contains("x", line))
    expect(lines).toEqual([3, 4, 5, 6, 21, 22])
  })

  it("distinguishes added lines from context", () => {
    expect([3, 4, 5, 21, 22].map((line) => twoHunks.isAdded("x", line))).toEqual([false, true, false, true, false])
  })

  it("finds the closest line, the earlier of two as close", () => {
    expect([1, 4, 8, 13, 14, 99].map((line) => twoHunks.nearest("x", line))).toEqual([3, 4, 6, 6, 21, 22])
  })

  it("has no line for unknown and deleted files", () => {
    for (const path of ["gone", "other"]) {
      expect([twoHunks.contains(path, 1), twoHunks.nearest(path, 1), twoHunks.isAdded(path, 1)]).toEqual([
        false,
        null,
        false
      ])
    }
  })

  it("joins the lines of one path in a series of patches", () => {
    const index = indexOf("--- a/x\n+++ b/x\n@@ -9 +9 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    expect([1, 2, 8, 9].map((line) => index.isAdded("x", line))).toEqual([false, true, false, true])
    expect([1, 2, 3, 9].map((line) => index.contains("x", line))).toEqual([true, true, false, true])
  })

  const Gaps = Schema.Array(Schema.Tuple([Schema.Literals([1, 2, 5]), Schema.Literals([1, 2, 3])]))
  it.prop("agrees with looking at every line", Gaps, (gaps) => {
    let line = 0
    const added: Array<number> = []
    const hunks = gaps.map(([gap, count]) => {
      const start = line + gap
      for (let i = 0; i < count; i++) added.push(start + i)
      line = start + count
      return `@@ -${start - added.length + count - 1},0 +${start},${count} @@\n${"+l\n".repeat(count)}`
    })
    const index = indexOf(hunks.length === 0 ? "" : `--- a/x\n+++ b/x\n${hunks.join("")}`)
    for (let at = 0; at <= line + 2; at++) {
      expect(index.contains("x", at)).toBe(added.includes(at))
      expect(index.isAdded("x", at)).toBe(added.includes(at))
      const distances = added.map((found) => Math.abs(found - at))
      expect(index.nearest("x", at)).toBe(added[distances.indexOf(Math.min(...distances))] ?? null)
    }
  })
})
