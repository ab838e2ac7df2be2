import { describe, expect } from "bun:test"
import { Result } from "effect"
import { restored } from "../../../src/domain/secret/restored.ts"
import { it } from "../../support/effect.ts"

const original = 'a = 1\nkey = "s3cret"\nb = 2\npassword: hunter\n'
const shown = 'a = 1\nkey = "[REDACTED_API_KEY]"\nb = 2\npassword: [REDACTED_CREDENTIAL]\n'

const after = (edited: string, from = original, seen = shown) =>
  Result.match(restored(from, seen, edited), { onFailure: (reason) => `ERROR ${reason}`, onSuccess: (text) => text })

describe("restored", () => {
  it("puts hidden text back where its line is kept, moved or repeated, and keeps edits", () => {
    expect(after(shown)).toBe(original)
    expect(after(shown.replace("a = 1", "a = 3\nc = 4"))).toBe(original.replace("a = 1", "a = 3\nc = 4"))
    expect(after('password: [REDACTED_CREDENTIAL]\nkey = "[REDACTED_API_KEY]"\n')).toBe(
      'password: hunter\nkey = "s3cret"\n'
    )
    expect(after("a = 1\n")).toBe("a = 1\n")
    expect(after("")).toBe("")
  })

  it("refuses a line with hidden text that is not one of the file", () => {
    expect(after('key = f("[REDACTED_API_KEY]")\n')).toStartWith("ERROR the new text has a [REDACTED_...]")
    expect(after('  key = "[REDACTED_API_KEY]"\n')).toStartWith("ERROR")
  })

  it("refuses a hidden line that may be one of several", () => {
    const twice = "k: one\nk: two\n"
    const hidden = "k: [REDACTED_CREDENTIAL]\nk: [REDACTED_CREDENTIAL]\n"
    expect(after(hidden, twice, hidden)).toBe("ERROR it has secrets that cannot be put back at their lines")
    expect(after("x\n", twice, hidden)).toBe("x\n")
    expect(after(hidden, "k: one\nk: one\n", hidden)).toBe("k: one\nk: one\n")
    expect(after("k\n", "a\nb\n", "a b\n")).toStartWith("ERROR")
  })

  it("keeps the line breaks of a file with only CRLF", () => {
    const [windows, seen] = [original, shown].map((text) => text.replaceAll("\n", "\r\n")) as [string, string]
    expect(after(shown.replace("b = 2", "b = 3"), windows, seen)).toBe(windows.replace("b = 2", "b = 3"))
    expect(after(seen, windows, seen)).toBe(windows)
  })
})
