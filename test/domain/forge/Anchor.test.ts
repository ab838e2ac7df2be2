import { describe, expect, test } from "bun:test"
import { anchorOf, covers } from "../../../src/domain/forge/Anchor.ts"
import { diffFile } from "../../support/forges.ts"

const file = diffFile("a.py")

describe("the anchor of a comment", () => {
  test("is a line of a hunk: added, or around it", () => {
    for (const line of [1, 2, 5, 40, 42]) {
      expect(anchorOf(file, line, line)).toEqual({ path: "a.py", side: "RIGHT", startLine: line, line })
    }
  })

  test("is nothing for a line outside of the hunks", () => {
    for (const line of [0, 6, 39, 43]) expect(anchorOf(file, line, line)).toBeNull()
  })

  test("is a range inside one hunk, and else its first line", () => {
    expect(anchorOf(file, 2, 4)).toEqual({ path: "a.py", side: "RIGHT", startLine: 2, line: 4 })
    expect(anchorOf(file, 2, 41)).toEqual({ path: "a.py", side: "RIGHT", startLine: 2, line: 2 })
    expect(anchorOf(file, 3, 1)).toEqual({ path: "a.py", side: "RIGHT", startLine: 3, line: 3 })
  })

  test("is on the base side of a deleted file", () => {
    const deleted = { ...file, status: "deleted" as const }
    expect(anchorOf(deleted, 2, 3)).toEqual({ path: "a.py", side: "LEFT", startLine: 2, line: 3 })
    expect(anchorOf(deleted, 5, 5)).toBeNull()
  })

  test("takes a suggestion only for exactly its lines of the head side", () => {
    const anchor = anchorOf(file, 2, 4)!
    expect(covers(anchor, 2, 4)).toBe(true)
    expect(covers(anchor, 2, 3)).toBe(false)
    expect(covers({ ...anchor, side: "LEFT" }, 2, 4)).toBe(false)
  })
})
