import { describe, expect } from "bun:test"
import { boundPatch } from "../../../src/domain/change/boundPatch.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { it } from "../../support/effect.ts"

const file = (path: string, lines: number, old = "/dev/null") =>
  `diff --git a/${path} b/${path}\n${old === "/dev/null" ? "new file mode 100644\n" : ""}index 0000000..1111111\n--- ${old}\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${"+x\n".repeat(lines)}`

const bound = (text: string, lines: number) => {
  const { cut, patch } = boundPatch(new TextEncoder().encode(text), { bytes: 10_000, lines })
  const files = (bytes: Uint8Array) => {
    const parsed = parseDiff(bytes)
    if (parsed._tag === "Failure") throw parsed.failure
    return parsed.success.files
  }
  return {
    shown: files(patch).map(({ path, binary, hunks }) => [path, binary, hunks.length]),
    cut: files(cut).map(({ path, status }) => [path, status])
  }
}

describe("a patch above the limits", () => {
  it("keeps complete files while they fit, and the headers of the others", () => {
    const text = `${file("a", 5)}${file("b c", 100)}${file("d", 5)}${file("e", 20)}`
    expect(bound(text, 30)).toEqual({
      shown: [
        ["a", false, 1],
        ["b c", true, 0],
        ["d", false, 1],
        ["e", true, 0]
      ],
      cut: [
        ["b c", "added"],
        ["e", "added"]
      ]
    })
  })

  it("stays the same below the limits", () => {
    const bytes = new TextEncoder().encode(`${file("a", 5)}${file("b", 5, "a/b")}`)
    expect(boundPatch(bytes).patch).toBe(bytes)
  })

  const binary = "diff --git a/i b/i\nindex 0000000..1111111 100644\nBinary files a/i and b/i differ\n"

  it("leaves out nothing of a file that shows no text", () => {
    expect(bound(`${file("a", 20)}${binary}`, 26)).toEqual({
      shown: [
        ["a", false, 1],
        ["i", true, 0]
      ],
      cut: []
    })
  })

  it("keeps files without text, and the names of renamed ones", () => {
    const renamed =
      "diff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\nindex 0000000..1111111 100644\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-x\n+y\n"
    const result = bound(`${file("big", 100)}${binary}${renamed}`, 6)
    expect(result.shown.map(([path]) => path)).toEqual(["big", "i", "n"])
    expect(result.cut).toEqual([
      ["big", "added"],
      ["n", "renamed"]
    ])
  })
})
