import { describe, expect, test } from "bun:test"
import { maskedParts } from "../../../../src/cli/review/render/maskedParts.ts"

const pairs = (raw: string, shown: string) =>
  maskedParts(raw, shown).map(({ from, shownFrom, shownTo, to }) => [
    raw.slice(from, to),
    shown.slice(shownFrom, shownTo)
  ])

describe("the masked parts of a line", () => {
  test("are one for each marker", () => {
    const shown = 'a, b = "[REDACTED_API_KEY]", "[REDACTED_CREDENTIAL]";'
    expect(pairs('a, b = "first", "second, third";', shown)).toEqual([
      ["first", "[REDACTED_API_KEY]"],
      ["second, third", "[REDACTED_CREDENTIAL]"]
    ])
  })

  test("are none in a line that is shown as it is, also with a marker", () => {
    expect(pairs("x = [REDACTED]", "x = [REDACTED]")).toEqual([])
    expect(pairs("[REDACTED] = one", "[REDACTED] = [REDACTED]")).toEqual([["one", "[REDACTED]"]])
  })

  test("are one part if the limits are not certain", () => {
    expect(pairs("ab", "[REDACTED_A][REDACTED_B]")).toEqual([["ab", "[REDACTED_A][REDACTED_B]"]])
    expect(pairs("p = one + y", "p = [password] + y")).toEqual([["one", "[password]"]])
  })
})
