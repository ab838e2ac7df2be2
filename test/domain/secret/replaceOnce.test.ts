import { describe, expect } from "bun:test"
import { Result, Schema } from "effect"
import { replaceOnce } from "../../../src/domain/secret/replaceOnce.ts"
import { it } from "../../support/effect.ts"

const replaced = (text: string, old: string, fresh: string) =>
  Result.match(replaceOnce(text, old, fresh), {
    onFailure: (reason) => `not: ${reason}`,
    onSuccess: ({ line, text }) => `${line} ${text}`
  })

describe("replaceOnce", () => {
  it("replaces a text by another and reports the place", () => {
    expect(replaced("a\nb\nc\n", "b\n", "x\ny\n")).toBe("2 a\nx\ny\nc\n")
    expect(replaced("a$&b", "$&", "$1")).toBe("1 a$1b")
    expect(replaced("ab", "b", "")).toBe("1 a")
  })

  it("keeps the line breaks of a file with CRLF, and minds those of a mixed one", () => {
    expect(replaced("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n")).toBe("1 x\r\ny\r\nc\r\n")
    expect(replaced("a\r\nb\r\n", "b\r\n", "c\r\n")).toBe("2 a\r\nc\r\n")
    expect(replaced("a\r\nb\n", "a\nb", "x")).toStartWith("not: ")
    expect(replaced("a\r\nb\n", "b\n", "c\n")).toBe("2 a\r\nc\n")
  })

  it("refuses a text that is absent, occurs twice, changes nothing or is a marker of a secret", () => {
    expect(replaced("a", "b", "c")).toContain("is not in the file")
    expect(replaced("a\na\n", "a", "c")).toContain("2 times (lines 1, 2)")
    expect(replaced("aaa", "aa", "c")).toContain("2 times")
    expect(replaced("a", "", "c")).toStartWith("not: ")
    expect(replaced("a", "a", "a")).toStartWith("not: ")
    expect(replaced("key = 1", "key = [REDACTED_API_KEY]", "x")).toContain("[REDACTED_...]")
    expect(replaced("key = 1", "key = 1", "key = [REDACTED_API_KEY]")).toContain("[REDACTED_...]")
    expect(replaced("a".repeat(100_000), "a", "b")).toContain("many times")
  })

  const Text = Schema.Array(Schema.Literals(["a", "b", "\n", "ab", "é"]))

  it.prop(
    "changes the one place and nothing else",
    Schema.Tuple([Text, Text, Text, Text]),
    ([before, old, fresh, after]) => {
      const [start, middle, end] = [before.join(""), `#${old.join("")}#`, after.join("")]
      const found = replaceOnce(`${start}${middle}${end}`, middle, fresh.join(""))
      expect(Result.map(found, ({ text }) => text)).toEqual(Result.succeed(`${start}${fresh.join("")}${end}`))
    }
  )
})
