import { describe, expect, test } from "bun:test"
import { splicePatch } from "../../../src/domain/change/splicePatch.ts"

const splice = (patch: string, again: string) =>
  new TextDecoder().decode(splicePatch(new TextEncoder().encode(patch), new TextEncoder().encode(again)))

const a = "diff --git a/a b/a\nindex 1..2\n"
const b = "diff --git a/b b/b\nindex 1..2\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-diff --git a/a b/a\n+2\n"
const shown = `${a}--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n`

describe("splicePatch", () => {
  test("puts a file shown anew in its own place and leaves every other byte alone", () => {
    expect(splice(`${b}${a}Binary files a/a and b/a differ\n${b}`, shown)).toBe(`${b}${shown}${b}`)
    expect(splice(b, shown)).toBe(b)
    expect(splice("", shown)).toBe("")
    expect(splice(`${b}${a}`, "")).toBe(`${b}${a}`)
  })

  test("distinguishes a deleted file from an added one of the same name", () => {
    const gone = "diff --git a/a b/a\ndeleted file mode 120000\nindex 1..0\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    const come = "diff --git a/a b/a\nnew file mode 100644\nindex 0..2\n"
    expect(splice(`${gone}${come}Binary files /dev/null and b/a differ\n`, `${gone}${come}@@ text\n`)).toBe(
      `${gone}${come}@@ text\n`
    )
  })
})
