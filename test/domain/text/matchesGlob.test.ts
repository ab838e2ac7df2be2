import { describe, expect } from "bun:test"
import { matchesGlob } from "../../../src/domain/text/matchesGlob.ts"
import { it } from "../../support/effect.ts"

describe("matchesGlob", () => {
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ["*.py", "a/b.py", true],
    ["infra/**", "infra/a/b.tf", true],
    ["infra/*", "other/infra/a", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["[ab].py", "b.py", true],
    ["[!ab].py", "b.py", false],
    ["[a-c]*", "cde", true],
    ["[]]", "]", true],
    ["[a", "[a", true],
    ["*.PY", "a.py", false],
    ["", "", true],
    ["", "a", false],
    ["*", "", true],
    ["a.c", "abc", false]
  ]
  for (const [pattern, path, expected] of cases) {
    it(`${JSON.stringify(pattern)} ${expected ? "matches" : "does not match"} ${JSON.stringify(path)}`, () => {
      expect(matchesGlob(pattern, path)).toBe(expected)
    })
  }

  it("answers a hostile pattern at once", () => {
    expect(matchesGlob(`${"*a".repeat(200)}b`, "a".repeat(2_000))).toBe(false)
  })
})
