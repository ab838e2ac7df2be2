import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { ByteText, bytesOf } from "../../../src/domain/text/ByteText.ts"
import { it } from "../../support/effect.ts"

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const whole = (bytes: Uint8Array): string => {
  const text = new ByteText()
  return text.push(bytes) + text.end()
}

describe("ByteText", () => {
  it.prop("returns the same bytes, whatever they are", Schema.Array(Byte), (bytes) => {
    expect([...bytesOf(whole(Uint8Array.from(bytes)))]).toEqual([...bytes])
  })

  it.prop(
    "returns the same text wherever the bytes are cut",
    Schema.Struct({ text: Schema.Array(Schema.Literals(["a", "ü", "€", "😀", "\ufeff"])), odd: Schema.Array(Byte) }),
    ({ odd, text }) => {
      const bytes = Uint8Array.from([...new TextEncoder().encode(text.join("")), ...odd, ...odd.toReversed()])
      const pieces = new ByteText()
      expect(Array.from(bytes, (byte) => pieces.push(Uint8Array.of(byte))).join("") + pieces.end()).toBe(whole(bytes))
    }
  )

  it("reads UTF-8 as it is, with its mark", () => {
    expect(whole(new TextEncoder().encode("\ufeffü€😀"))).toBe("\ufeffü€😀")
  })
})
