import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { isQuote, nearbyPlace, placeOfQuote, type QuotedText } from "../../../src/domain/finding/QuotePlace.ts"
import { it } from "../../support/effect.ts"

const text = (...lines: ReadonlyArray<string>): QuotedText => ({ count: lines.length, line: (at) => lines[at - 1] })

const cart = text(
  "import { rate } from './rate'", // 1
  "", // 2
  "export const total = (cart: Cart): number => {", // 3
  "  let sum = 0", // 4
  "  for (const item of cart.items) {", // 5
  "    sum += item.price * item.count", // 6
  "  }", // 7
  "", // 8
  "  return sum * rate(", // 9
  "    cart.country", // 10
  "  )", // 11
  "}", // 12
  ...Array.from({ length: 40 }, (_, at) => `const filler${at} = ${at}`), // 13..52
  "  let sum = 0", // 53
  "const key = 'sk_live_4242424242424242'" // 54
)

describe("placeOfQuote", () => {
  it("finds what a model was shown in another form: escaped control tokens and invisible characters", () => {
    const hidden = text("a = 1", "prompt = '<|im_start|>system'", "name = 'ad\u200bmin' # checked", "<untrusted-x>")
    expect(placeOfQuote("prompt = '<\\|im_start|>system'", 2, hidden)).toBe(2)
    expect(placeOfQuote("name = 'ad\\u{200b}min' # checked", 1, hidden)).toBe(3)
    expect(placeOfQuote("<untrusted_x>", 4, hidden)).toBe(4)
    expect(placeOfQuote("prompt = '<|im_start|>system'", 2, hidden)).toBe(2)
  })

  it("finds a quote anywhere in the file, whatever its reported line", () => {
    expect(placeOfQuote("sum += item.price * item.count", 6, cart)).toBe(6)
    expect(placeOfQuote("sum += item.price * item.count", 40, cart)).toBe(6)
    expect(placeOfQuote("sum += item.price * item.count", 900, cart)).toBe(6)
    expect(placeOfQuote("sum += item.price * item.count", 0, cart)).toBe(6)
  })

  it("is blind to white space, joined lines and blank ones", () => {
    expect(placeOfQuote("sum+=item.price*item.count", 40, cart)).toBe(6)
    expect(placeOfQuote("return sum * rate(cart.country)", 1, cart)).toBe(9)
    expect(placeOfQuote("  }\n  return sum * rate(", 50, cart)).toBe(7)
  })

  it("takes the nearest of several", () => {
    expect(placeOfQuote("  let sum = 0", 5, cart)).toBe(4)
    expect(placeOfQuote("  let sum = 0", 51, cart)).toBe(53)
  })

  it("reads quotes with fences, signs of a diff, line numbers and an ellipsis", () => {
    expect(placeOfQuote("```ts\nlet sum = 0\nfor (const item of cart.items) {\n```", 20, cart)).toBe(4)
    expect(placeOfQuote("+  for (const item of cart.items) {\n+    sum += item.price * item.count", 30, cart)).toBe(5)
    expect(
      placeOfQuote("   5 + for (const item of cart.items) {\n   6 + sum += item.price * item.count", 30, cart)
    ).toBe(5)
    expect(placeOfQuote("for (const item of cart.items) {\n  // ...\n  vanished()", 30, cart)).toBe(5)
  })

  it("sees through what was redacted before the reviewer read it", () => {
    expect(placeOfQuote("const key = '[REDACTED_STRIPE_KEY]'", 3, cart)).toBe(54)
    expect(placeOfQuote("const other = '[REDACTED_STRIPE_KEY]'", 3, cart)).toBeNull()
    expect(placeOfQuote("[REDACTED_STRIPE_KEY]", 3, cart)).toBeNull()
  })

  it("accepts a short quote far away only if it occurs once", () => {
    expect(placeOfQuote("}", 40, cart)).toBeNull()
    expect(placeOfQuote("sum", 40, cart)).toBeNull()
    expect(placeOfQuote("const filler", 3, cart)).toBeNull()
    expect(placeOfQuote("filler7", 3, cart)).toBe(20)
  })

  it("places deleted text where it was", () => {
    const patched: QuotedText = { ...cart, deleted: [{ text: "  if (!cart) return 0", at: 4 }] }
    expect(placeOfQuote("if (!cart) return 0", 30, patched)).toBe(4)
  })

  it("recognises only the hunks when there is no file", () => {
    const known = new Map([
      [3, "alpha()"],
      [90, "omega()"]
    ])
    const hunks: QuotedText = { count: null, line: (at) => known.get(at), numbers: [3, 90] }
    expect(placeOfQuote("omega()", 3, hunks)).toBe(90)
    expect(placeOfQuote("beta()", 3, hunks)).toBeNull()
  })

  it("finds no place for an empty quote", () => {
    for (const quote of ["", "\n\n", "```\n```"]) {
      expect(isQuote(quote)).toBe(false)
      expect(placeOfQuote(quote, 3, cart)).toBeNull()
    }
  })

  it.prop(
    "agrees with a rule's own reading within reach, and never points outside of the text",
    Schema.Struct({
      said: Schema.Literals([0, 1, 2, 3, 5, 9, 40]),
      quote: Schema.Literals(["", "a", "b\na", "ab", "long enough to be no accident", "`", "..."]),
      lines: Schema.Array(Schema.Literals(["a", "b", "", "ab", "long enough to be no accident"]))
    }),
    ({ lines, quote, said }) => {
      const known = text(...lines)
      const near = nearbyPlace(quote, said, known)
      const place = placeOfQuote(quote, said, known)
      if (near !== null) expect(place).toBe(near)
      if (place !== null) expect(lines[place - 1]).toBeDefined()
    }
  )
})
