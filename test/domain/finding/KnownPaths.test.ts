import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { KnownPaths } from "../../../src/domain/finding/KnownPaths.ts"
import { visiblePath } from "../../../src/domain/text/Printable.ts"
import { it } from "../../support/effect.ts"
import { oddPaths } from "../../support/oddPaths.ts"

const Piece = Schema.Literals([
  " ",
  "\t",
  "\u00a0",
  "\u3000",
  "\ufeff",
  "\n",
  '"',
  "'",
  ":",
  "2",
  ".",
  "a",
  "b",
  "/",
  "\\x09"
])
const Path = Schema.Array(Piece).check(Schema.isMinLength(1), Schema.isMaxLength(8))
const Line = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999_999 }))

describe("KnownPaths", () => {
  it.prop(
    "finds every path that it knows in a text that begins with it",
    Schema.Struct({ pieces: Path, line: Line }),
    ({ line, pieces }) => {
      const path = pieces.join("")
      const known = new KnownPaths([path])
      expect(known.named(path)).toBe(path)
      expect(known.cited(`${path}:${line}`).places).toEqual([{ path, line }])
      expect(known.cited(`${path}:${line}; (${path}:${line})`).places).toHaveLength(2)
    }
  )

  it("finds odd paths among each other, as they are and as they are shown", () => {
    const known = new KnownPaths(oddPaths)
    for (const [at, path] of oddPaths.entries()) {
      expect(known.named(path)).toBe(path)
      expect(known.cited(`see ${path}:${at + 1}.`).places).toEqual([{ path, line: at + 1 }])
      const shown = visiblePath(path)
      const meant = oddPaths.includes(shown) ? shown : path
      expect(known.named(shown)).toBe(meant)
      expect(known.cited(`see \`${shown}:7\``).places).toEqual([{ path: meant, line: 7 }])
    }
  })

  it("prefers the longest path", () => {
    const known = new KnownPaths(["a.py", "a.py:2", "my a.py"])
    expect(known.cited("a.py:2:5").places).toEqual([{ path: "a.py:2", line: 5 }])
    expect(known.cited("in my a.py:2").places).toEqual([{ path: "my a.py", line: 2 }])
    expect(new KnownPaths(["a.py"]).cited("a.py:2:5").places).toEqual([{ path: "a.py", line: 2 }])
  })

  it("finds a path after ./ and git's prefixes, and none that is only the end of another one", () => {
    const known = new KnownPaths(["src/foo.py", "b/c", "d.go"])
    expect(known.cited("see (src/foo.py:42), `b/c:7`, a/src/foo.py:3 and ./d.go:1.").places).toEqual([
      { path: "src/foo.py", line: 42 },
      { path: "b/c", line: 7 },
      { path: "src/foo.py", line: 3 },
      { path: "d.go", line: 1 }
    ])
    expect(known.cited("lib/src/foo.py:1 xd.go:2 d.go:1.5 https://d.go:8080 10.0.0.1:80").places).toEqual([])
    expect(known.named("./d.go")).toBe("d.go")
    expect(known.named("src//foo.py ")).toBe("src/foo.py")
    expect(known.named("foo.py")).toBeNull()
  })

  it("leaves the text without the places", () => {
    expect(new KnownPaths(["a b.py"]).cited("x a b.py:2, y.py:3").rest).toBe("x  , y.py:3")
  })

  it("reads a long text in the time that its places take", () => {
    const known = new KnownPaths(oddPaths)
    for (const text of [":1".repeat(100_000), "a/".repeat(200_000), ":".repeat(300_000)])
      expect(known.cited(text).places).toEqual([])
  })
})
