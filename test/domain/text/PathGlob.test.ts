import { describe, expect } from "bun:test"
import { Glob, Schema } from "effect"
import { globFault, pathGlob } from "../../../src/domain/text/PathGlob.ts"
import { it } from "../../support/effect.ts"

const matches = (pattern: string, ...paths: ReadonlyArray<string>) => paths.filter(pathGlob(pattern))

describe("pathGlob", () => {
  it("finds a bare name in any folder, and everything below it", () => {
    expect(matches("*.lock", "bun.lock", "a/b/Cargo.lock", "lock/x", ".x/y.lock")).toEqual([
      "bun.lock",
      "a/b/Cargo.lock",
      ".x/y.lock"
    ])
    expect(matches("vendor", "vendor/a/b.js", "x/vendor/c", "vendored/d")).toEqual(["vendor/a/b.js", "x/vendor/c"])
  })

  it("starts at the root where the pattern has a slash", () => {
    expect(matches("/build", "build/x", "a/build/x")).toEqual(["build/x"])
    expect(matches("docs/*.md", "docs/a.md", "docs/b/c.md", "x/docs/a.md")).toEqual(["docs/a.md"])
    expect(matches("./docs/**", "docs/a/b", "docs2/a")).toEqual(["docs/a/b"])
  })

  it("means only folders with a slash at the end", () => {
    expect(matches("gen/", "gen", "gen/a.py", "x/gen/b")).toEqual(["gen/a.py", "x/gen/b"])
  })

  it("refuses what cannot match, leaves the repository or negates", () => {
    for (const pattern of ["", "/", "../x", "a/../b", "!a", "x".repeat(501)]) expect(globFault(pattern)).not.toBeNull()
    expect(globFault("a/**/b..c")).toBeNull()
  })

  it("takes a folder called . for the one before it", () => {
    expect(matches("/.", "a", "b/c")).toEqual(["a", "b/c"])
    expect(matches("a/./b", "a/b", "b")).toEqual(Glob.match(Glob.make("a/./b"), "a/b") ? ["a/b"] : [])
  })

  const Piece = Schema.Literals(["a", "b.c", "*", "**", "/", "?", "{a,b}", "[ab]", ".", "é", "(a)", "+"])

  it.prop("matches what the glob matches, however a pattern ends", Schema.Array(Piece), (pieces) => {
    const pattern = pieces.join("")
    if (globFault(pattern) !== null) return
    const bare = pattern.replace(/^\.?\//, "").replace(/\/$/, "")
    const start = pattern.startsWith("/") || pattern.startsWith("./") || bare.includes("/") ? bare : `**/${bare}`
    const globs = [...(pattern.endsWith("/") ? [] : [start]), `${start}/**/*`].map((glob) =>
      Glob.make(glob, { dot: true })
    )
    for (const path of [
      "a",
      "b.c",
      "a/b.c",
      "b.c/a",
      "x/a/b",
      "é",
      "x.é/a",
      "a.b.c",
      "a/é/b.c/a",
      "(a)",
      "+",
      "a+/b"
    ]) {
      const expected = globs.some((glob) => Glob.match(glob, path))
      expect([pattern, path, pathGlob(pattern)(path)]).toEqual([pattern, path, expected])
    }
  })
})
