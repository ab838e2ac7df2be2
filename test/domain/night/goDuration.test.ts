import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { goDuration, parseGoDuration } from "../../../src/domain/night/goDuration.ts"
import { it } from "../../support/effect.ts"

describe("goDuration", () => {
  for (const [milliseconds, text] of [
    [0, "0s"],
    [250, "250ms"],
    [1_500, "1.5s"],
    [295_000, "4m55s"],
    [758_000, "12m38s"],
    [3_600_000, "1h0m0s"],
    [28_800_000, "8h0m0s"],
    [-1_500, "-1.5s"]
  ] as const) {
    test(`writes ${milliseconds} ms as ${text}`, () => expect(goDuration(milliseconds)).toBe(text))
  }
})

describe("parseGoDuration", () => {
  for (const [text, milliseconds] of [
    ["8h", 28_800_000],
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    ["250ms", 250],
    ["0s", null],
    ["", null],
    ["8", null],
    ["-1h", null],
    ["8 h", null]
  ] as const) {
    test(`reads "${text}" as ${milliseconds}`, () => expect(parseGoDuration(text)).toBe(milliseconds))
  }

  it.prop(
    "reads what goDuration writes",
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 ** 9 })),
    (milliseconds) => expect(parseGoDuration(goDuration(milliseconds))).toBe(milliseconds)
  )
})
