import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { oneLine, printable, visibleCode, visiblePath } from "../../../src/domain/text/Printable.ts"
import { pathText } from "../../../src/domain/text/quotePath.ts"
import { it } from "../../support/effect.ts"
import { hostileText, unsafe } from "../../support/hostileText.ts"

describe("printable", () => {
  it("takes escape sequences out and leaves the words", () => {
    expect(printable("\x1b[1;31mred\x1b[0m")).toBe("red")
    expect(printable("\x1b]0;owned\x07title")).toBe("title")
    expect(printable("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\")).toBe("link")
    expect(printable("\x9b2Jcleared \x9d0;x\x9ctitle")).toBe("cleared title")
    expect(printable("a\x1bPq payload\x1b\\b")).toBe("ab")
    expect(printable("a\x1bcb\x1b(Bc")).toBe("abc")
  })

  it("keeps what follows an unterminated sequence", () => {
    expect(printable("before \x1b]0;after\nnext line")).toBe("before 0;after\nnext line")
  })

  it("leaves nothing that two halves of a sequence could make when put together", () => {
    expect(printable("\x1b\x1b[[31mx")).not.toContain("\x1b")
  })

  it("shows characters that reverse the reading order or hide", () => {
    expect(printable("user\u202e nimda")).toBe("user<U+202E> nimda")
    expect(printable("pass\u200bword")).toBe("pass<U+200B>word")
    expect(printable("hi\u{e0049}\u{e0067}\u{e006e}")).toBe("hi<U+E0049>(and 2 more)")
    expect(printable("a\u200db")).toBe("a<U+200D>b")
  })

  it("leaves every script and emoji as it is written", () => {
    for (const text of ["می‌خواهم", "क्‍ष", "👩‍👩‍👧", "❤️‍🔥", "葛󠄀城", "naïve", "日本語", "Ünïcödé"])
      expect(printable(text)).toBe(text)
  })

  it("ends lines the same way everywhere", () => {
    expect(printable("a\r\nb\rc\u2028d\x85e")).toBe("a\nb\nc\nd\ne")
    expect(printable("safe\rEVIL")).toBe("safe\nEVIL")
  })

  it("replaces half a surrogate pair", () => {
    expect(printable("a\ud800b")).toBe("a\ufffdb")
  })

  it.prop("removes everything unsafe from any input", hostileText, (pieces) => {
    const text = pieces.join("")
    expect(printable(text)).not.toMatch(unsafe)
    expect(oneLine(text)).not.toMatch(unsafe)
    expect(oneLine(text)).not.toMatch(/[\n\t]/)
    expect(visibleCode(text)).not.toMatch(unsafe)
    expect(visibleCode(text)).not.toMatch(/[\n\t]/)
  })

  it.prop("changes nothing the second time", hostileText, (pieces) => {
    const text = pieces.join("")
    expect(printable(printable(text))).toBe(printable(text))
    expect(oneLine(oneLine(text))).toBe(oneLine(text))
  })

  it.prop("leaves plain text alone", Schema.String.check(Schema.isPattern(/^[ -~\n]*$/)), (text) => {
    expect(printable(text)).toBe(text)
  })

  it("takes time in proportion to the text, also on text made to be slow", () => {
    for (const piece of ["\x1b[", "\x90", "\x1b]", "\u200d", " ", "\x1b[0", "\t "]) {
      const text = piece.repeat(200_000)
      expect(oneLine(text).length + visibleCode(text).length).toBeGreaterThanOrEqual(0)
    }
  })
})

describe("visibleCode", () => {
  it("shows what is hidden in code instead of taking it out", () => {
    expect(visibleCode("if a\u2066 or b\u202e:\x1b[2K")).toBe("if a<U+2066> or b<U+202E>:<U+001B>[2K")
  })

  it("sets tabs at multiples of four", () => {
    expect(visibleCode("\tx\t\ty")).toBe("    x       y")
    expect(visibleCode("abc\tx")).toBe("abc x")
  })
})

describe("visiblePath", () => {
  it("shows control characters as bytes, and names apart that differ in them", () => {
    expect(visiblePath("a\tb\n\x1b[2J.py")).toBe("a\\x09b\\x0a\\x1b[2J.py")
    expect(visiblePath("a\x85\u202e.py")).toBe("a\\xc2\\x85<U+202E>.py")
    expect(visiblePath(" é b.py ")).toBe(" é b.py ")
  })

  it.prop("removes everything that controls a terminal", hostileText, (pieces) => {
    const shown = visiblePath(pieces.join(""))
    expect(shown).not.toMatch(unsafe)
    expect(shown).not.toContain("\n")
  })

  const Names = Schema.Array(
    Schema.Literals(["\\", "x", "09", "5c", "ff", "3c", "<U+202E>", "<U+200B>", "\u202e", "\u200b", "\t", "a", "\x85"])
  )
  it.prop("shows different paths differently", Schema.Struct({ one: Names, other: Names }), ({ one, other }) => {
    const [first, second] = [one, other].map((name) => pathText(new TextEncoder().encode(name.join(""))))
    expect(visiblePath(first!) === visiblePath(second!)).toBe(one.join("") === other.join(""))
  })

  it("shows a name that looks like the form of another one with a form of its own", () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const shown = ["a\\x09", "a\t", "a\\xff", "a<U+202E>", "a\u202e"].map((name) => visiblePath(pathText(bytes(name))))
    expect(shown).toEqual(["a\\x5cx09", "a\\x09", "a\\x5cxff", "a\\x3cU+202E>", "a<U+202E>"])
    expect(visiblePath(pathText(Uint8Array.of(97, 0xff)))).toBe("a\\xff")
  })
})
