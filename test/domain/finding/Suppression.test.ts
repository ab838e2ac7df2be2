import { describe, expect } from "bun:test"
import { suppressionsIn, withoutSuppression } from "../../../src/domain/finding/Suppression.ts"
import { lexiconOf } from "../../../src/languages/comments.ts"
import { it } from "../../support/effect.ts"

const read = (path: string, ...lines: ReadonlyArray<string>) => suppressionsIn(lines, lexiconOf(path))
const found = (path: string, ...lines: ReadonlyArray<string>) => read(path, ...lines).found

describe("suppressionsIn", () => {
  it("applies to its own line or to the next", () => {
    expect(found("a.py", "eval(x)  # dd-ignore py/eval: trusted input")).toEqual([
      { line: 1, target: 1, patterns: ["py/eval"], reason: "trusted input" }
    ])
    expect(found("a.py", "# dd-ignore-next-line py/eval: ok", "eval(x)")[0]).toMatchObject({ line: 1, target: 2 })
  })

  it("takes several rules, areas and fingerprints", () => {
    expect(found("a.ts", "// dd-ignore py/eval, ts/*, dd1:0123456789abcdef: all known")[0]).toMatchObject({
      patterns: ["py/eval", "ts/*", "dd1:0123456789abcdef"],
      reason: "all known"
    })
  })

  it("works in the comments of many languages", () => {
    for (const [path, line] of [
      ["a.sql", "select 1 -- dd-ignore sql/x: r"],
      ["a.html", "<p> <!-- dd-ignore html/x: r -->"],
      ["a.c", "f(); /* dd-ignore c/x: r */"],
      ["a.tsx", "{/* dd-ignore ts/x: r */}"],
      ["a.java", " * dd-ignore java/x: r"],
      ["a.clj", ";; dd-ignore clj/x: r"],
      ["a.erl", "%% dd-ignore erl/x: r"],
      ["a.py", "x = 1  # noqa: F401  # dd-ignore py/x: r"]
    ] as const) {
      const lines = path === "a.java" ? ["/**", line, " */"] : [line]
      expect([path, ...found(path, ...lines).map((entry) => entry.reason)]).toEqual([path, "r"])
    }
  })

  it("reports that no reason was given", () => {
    expect(found("a.py", "# dd-ignore py/x")[0]!.reason).toBe("no reason given")
    expect(found("a.py", "# dd-ignore py/x:")[0]!.reason).toBe("no reason given")
  })

  it("allows several comments above one line", () => {
    const lines = ["# dd-ignore-next-line py/a: 1", "# dd-ignore-next-line py/b: 2", "", "code()"]
    expect(found("a.py", ...lines).map((entry) => entry.target)).toEqual([4, 4])
  })

  it("does nothing in a string, in prose or under another name", () => {
    expect(
      read(
        "a.py",
        'x = "# dd-ignore py/x: no"',
        "# write dd-ignore py/x: why",
        "# dd-ignored py/x: no",
        "dd-ignore py/x"
      )
    ).toEqual({
      found: [],
      malformed: []
    })
  })

  it("names what it cannot read instead of guessing", () => {
    const problem = (comment: string) => read("a.py", `# ${comment}`).malformed[0]?.problem
    expect(problem("dd-ignore")).toBe("it names no rule")
    expect(problem("dd-ignore: because")).toBe("it names no rule")
    expect(problem("dd-ignore everything: x")).toContain('"everything" is not a rule')
    expect(problem("dd-ignore *: x")).toContain('"*" is not a rule')
    expect(problem("dd-ignore py/x because I say so")).toBe("a reason follows a colon")
  })

  it("is removed from its line, with nothing else", () => {
    expect(withoutSuppression("x = 1  # noqa  # dd-ignore py/*: a > b")).toBe("x = 1  # noqa")
    expect(withoutSuppression("  // dd-ignore-next-line ts/a: b")).toBe("")
    expect(withoutSuppression("  {/* dd-ignore-next-line ts/*: b */}")).toBe("")
    expect(withoutSuppression("<!-- dd-ignore ts/a -->")).toBe("")
    expect(withoutSuppression("f() /* dd-ignore ts/a: b */ + 1")).toBeNull()
  })
})
