import { describe, expect } from "bun:test"
import { Result, Schema } from "effect"
import { RE2JS } from "re2js"
import { requiredLiterals } from "../../../src/domain/text/requiredLiterals.ts"
import { it } from "../../support/effect.ts"

const literals = (pattern: string, ignoreCase = false) => requiredLiterals(pattern, ignoreCase)

const Piece = Schema.Literals([
  ..."abcdeks.|()[]^$*+?{}\\-1,".split(""),
  "(?:",
  "\\.",
  "\\w",
  "\\b",
  "[^a]",
  "[]b]",
  "{2}",
  "{0,1}",
  "ab",
  "cd",
  "é",
  "\\x61",
  "\\pL",
  "\\141",
  "\\Q",
  "(?i)"
])
const Pattern = Schema.Array(Piece)
const Texts = Schema.Array(Schema.Array(Schema.Literals([..."abcdekDKsé. 1()".split(""), "ab", "cd", "\u212a"])))

describe("requiredLiterals", () => {
  it("names the strings a match cannot do without", () => {
    expect(literals("foo")).toEqual(["foo"])
    expect(literals("def \\w+_task\\(")).toEqual(["_task("])
    expect(literals("foo|bar")).toEqual(["foo", "bar"])
    expect(literals("^import (?:one|three) from")).toEqual(["import "])
    expect(literals("(?:alpha|beta)x*")).toEqual(["alpha", "beta"])
    expect(literals("\\bword\\b")).toEqual(["word"])
    expect(literals("abc?d")).toEqual(["ab"])
    expect(literals("abc+d")).toEqual(["abc"])
    expect(literals("a{2}bcd")).toEqual(["bcd"])
    expect(literals("[abc]def")).toEqual(["def"])
    expect(literals("Resolve", true)).toEqual(["olve"])
  })

  it("reports nothing where nothing is certain", () => {
    for (const pattern of [
      "a",
      ".*",
      "foo|",
      "foo|.",
      "(foo)?",
      "(?i)foo",
      "\\Qfoo",
      "x*",
      "[a-z]+",
      "",
      "foo)",
      "(?:foo|b)"
    ]) {
      expect([pattern, literals(pattern)]).toEqual([pattern, null])
    }
    expect(literals("é", true)).toBe(null)
  })

  it.prop(
    "never rules a text out that the pattern matches",
    Schema.Tuple([Pattern, Texts, Schema.Boolean]),
    (given) => {
      const [pieces, texts, ignoreCase] = given
      const pattern = pieces.join("")
      const compiled = Result.try(() => RE2JS.compile(ignoreCase ? `(?i)${pattern}` : pattern))
      if (Result.isFailure(compiled)) return
      const words = requiredLiterals(pattern, ignoreCase)
      const folded = (text: string) => (ignoreCase ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text)
      for (const parts of texts) {
        const text = parts.join("")
        if (!compiled.success.test(text)) continue
        const isKept = words === null || words.some((word) => folded(text).includes(folded(word)))
        expect([pattern, text, words, isKept]).toEqual([pattern, text, words, true])
      }
    }
  )
})
