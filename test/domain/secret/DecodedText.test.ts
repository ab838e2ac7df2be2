import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { decodedParts } from "../../../src/domain/secret/DecodedText.ts"
import { it } from "../../support/effect.ts"

const readings = (text: string) => decodedParts(text).map((part) => part.text)

describe("the decoded text", () => {
  for (const [text, meaning] of [
    ["a\\nb\\tc\\\\nd", "a\nb\tc\nd"],
    ["a%20b%2520c%3Dd", "a b c=d"],
    ["a%C3%BCb", "a\ufffdb"],
    ["\\u003da\\u{3d}b\\x3dc\\U0000003dd\\75e", "=a=b=c=d=e"],
    ["https:\\/\\/a", "https://a"],
    ["a&quot;b&#x27;c&#39;d", "a\"b'c'd"],
    ["a\0b\0c\0d\0", "abcd"]
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${JSON.stringify(meaning)}`, () => expect(readings(text)).toEqual([meaning]))
  }

  it("has a space for each terminal code and, in a second part, nothing", () => {
    expect(readings("\\u001b[33mred\\x1b[0m, \\e[1;31mred\\033[0m")).toEqual([" red ,  red ", "red, red"])
    expect(readings("\x1b[36mkey\x1b[0m=\x1b[1mvalue")).toEqual([" key = value", "key=value"])
    expect(readings("[33mred[0m")).toEqual([" red ", "red"])
  })

  it("is empty when no escape matters to the rules", () => {
    expect(readings('a = b % 20 && c["\\d+"] /* 100 % */\nprint("done\\n")')).toEqual([])
  })

  it("has the lines with escapes", () => {
    expect(readings("1\n2\n3\\tx\n4\\tx\n5\n6\n7\n8\\tx\n")).toEqual(["3\tx\n4\tx\n", "8\tx\n"])
  })

  const Pieces = Schema.Array(
    Schema.Literals([
      "a",
      "xyz",
      "\n",
      "\\n",
      "\\",
      "%",
      "%20",
      "%25",
      "\x1b[3",
      "3m",
      "\\u00",
      "1b",
      "&quot;",
      "\0",
      "=",
      "über",
      "\u{1f600}"
    ])
  )

  it.prop("maps every place back to the original", Pieces, (pieces) => {
    const whole = pieces.join("")
    for (const { original, text } of decodedParts(whole)) {
      let last = 0
      for (let at = 0; at < text.length; at++) {
        const { start, end } = original(at, at + 1)
        expect(start).toBeGreaterThanOrEqual(last)
        last = end
        if (end - start === 1) expect(whole[start]).toBe(text[at]!)
        else expect(whole.slice(start, end)).toMatch(/^[\\%&<[^\x1b]/)
      }
    }
  })
})
