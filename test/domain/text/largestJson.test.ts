import { describe, expect } from "bun:test"
import { Option, Schema } from "effect"
import { largestJson } from "../../../src/domain/text/largestJson.ts"
import { it } from "../../support/effect.ts"

const found = (text: string) => Option.getOrNull(largestJson(text))

describe("largestJson", () => {
  it("takes the longest value that parses, not the first", () => {
    expect(found('see metadata["sender"] then {"findings": []} ok')).toEqual({ findings: [] })
    expect(found('[1,2] and {"items":[{"x":1}]}')).toEqual({ items: [{ x: 1 }] })
  })

  it("finds nothing in prose", () => {
    expect(Option.isNone(largestJson('no json, but 42 and "words"'))).toBe(true)
  })

  it("looks into a code fence, closed or not", () => {
    expect(found('```json\n{"a":1}\n```')).toEqual({ a: 1 })
    expect(found('```\n{"a":1}')).toEqual({ a: 1 })
  })

  it("is not confused by brackets and quotes inside strings", () => {
    expect(found('x {"a":"} ] \\" {"} y')).toEqual({ a: '} ] " {' })
  })

  it("answers on brackets that never close", () => {
    expect(Option.isNone(largestJson("[".repeat(200_000)))).toBe(true)
  })

  it.prop("finds any object wherever it stands in prose", Schema.Record(Schema.String, Schema.String), (value) => {
    expect(found(`well, ${JSON.stringify(value)} I think`)).toEqual(value)
  })
})
