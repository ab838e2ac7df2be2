import { describe, expect } from "bun:test"
import { codeOnly, commentsIn } from "../../../src/domain/code/Comment.ts"
import { lexiconOf } from "../../../src/languages/comments.ts"
import { it } from "../../support/effect.ts"

const comments = (path: string, ...lines: ReadonlyArray<string>) =>
  commentsIn(lines, lexiconOf(path)).map(({ line, text }) => `${line}:${text.trim()}`)

describe("commentsIn", () => {
  it("finds the comments of every kind of language", () => {
    expect(comments("a.py", "x = 1  # c")).toEqual(["1:c"])
    expect(comments("a.ts", "x() // c")).toEqual(["1:/ c"])
    expect(comments("a.go", "/* a", "b */ x /* c */")).toEqual(["1:a", "2:b", "2:c"])
    expect(comments("a.sql", "select 1 -- c")).toEqual(["1:- c"])
    expect(comments("a.erl", "x. % c")).toEqual(["1:c"])
    expect(comments("a.clj", "(f) ; c")).toEqual(["1:c"])
    expect(comments("a.html", "it's <b>x</b> <!-- c -->")).toEqual(["1:c"])
    expect(comments("a.tsx", "{/* c */}")).toEqual(["1:c"])
    expect(comments("Dockerfile", "RUN x # c")).toEqual(["1:c"])
  })

  it("does not take a string for a comment", () => {
    expect(comments("a.py", 'x = "# no"', 'y = \'# no\' + "\\"# no"')).toEqual([])
    expect(comments("a.ts", 'const u = "http://x" + `', "// no", "`")).toEqual([])
    expect(comments("a.py", '"""', "# no", '"""', "# yes")).toEqual(["4:yes"])
  })

  it("does not lose a comment behind an apostrophe or a lifetime", () => {
    expect(comments("a.rs", "fn f<'a>(x: &'a str, y: &'a str) {} // c")).toEqual(["1:/ c"])
    expect(comments("a.txt", "don't # c")).toEqual(["1:c"])
  })

  it("does not take $#, a#b or i-- for one", () => {
    expect(comments("a.sh", "echo $# a#b ${#x}")).toEqual([])
    expect(comments("a.unknown", "i-- 50%")).toEqual([])
  })

  it("is not slowed by a line of quotes that never close", () => {
    expect(comments("a.py", `${"'\\\\".repeat(200_000)} # c`)).toEqual(["1:c"])
  })

  it("ends with a file that ends in the middle of one", () => {
    expect(comments("a.c", "x /* open", "", "more")).toEqual(["1:open", "3:more"])
    expect(comments("a.c")).toEqual([])
  })
})

describe("codeOnly", () => {
  const code = (path: string, ...lines: ReadonlyArray<string>) => codeOnly(lines, lexiconOf(path))

  it("blanks comments and strings, also over several lines", () => {
    expect(code("a.go", "x := `total", "total`", "total() // total", "/* total", "*/")).toEqual([
      "x := `     ",
      "     `",
      "total() /       ",
      "/*      ",
      "*/"
    ])
    expect(code("a.py", "f('total', \"total\")  # total")).toEqual(["f('     ', \"     \")  #      "])
  })

  it("keeps code inside of strings", () => {
    expect(code("a.ts", "`a ${total(1)} b`")).toEqual(["`  ${total(1)}  `"])
    expect(code("a.py", 'f"a {total(1)} b" + "{total}"')).toEqual(['f"  {total(1)}  " + "       "'])
  })
})
