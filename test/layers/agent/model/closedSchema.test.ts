import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { closedSchema, isComplete } from "../../../../src/layers/agent/model/closedSchema.ts"

describe("a closed schema", () => {
  test("keeps shapes and drops bounds, which the decoder of the answer checks", () => {
    expect(
      closedSchema({
        type: "object",
        properties: {
          line: { type: "integer", minimum: 1, allOf: [{ maximum: 9 }] },
          kind: { enum: ["a", "b"] },
          list: { type: "array", items: { oneOf: [{ type: "string", pattern: "x" }, { type: "null" }] }, maxItems: 3 }
        },
        required: ["line"]
      })
    ).toEqual({
      type: "object",
      properties: {
        line: { type: "integer" },
        kind: { enum: ["a", "b"] },
        list: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } }
      },
      required: ["line"],
      additionalProperties: false
    })
  })

  for (const [what, schema] of [
    ["an object of any keys", { type: "object", additionalProperties: { type: "string" } }],
    ["an object that says nothing of its keys", { type: "object" }],
    ["anything", {}],
    ["a list of anything", { type: "array" }],
    ["a list of anything inside", { type: "object", properties: { a: { type: "array", items: {} } } }],
    ["a negation", { type: "string", not: { const: "x" } }],
    ["an intersection", { type: "object", properties: {}, allOf: [{ type: "object", properties: {} }] }],
    ["a tuple", { type: "array", prefixItems: [{ type: "string" }], items: false }]
  ] as const) {
    test(`is none for ${what}`, () => expect(closedSchema(schema)).toBeNull())
  }

  test("is had of the schemas this program makes", () => {
    const made = Schema.toJsonSchemaDocument(
      Schema.Struct({
        findings: Schema.Array(
          Schema.Struct({
            line: Schema.Int.check(Schema.isGreaterThan(0)),
            severity: Schema.Literals(["high", "low"]),
            note: Schema.NullOr(Schema.NonEmptyString)
          })
        )
      })
    ).schema
    const closed = closedSchema(JSON.parse(JSON.stringify(made)))
    expect(closed).toMatchSnapshot()
    expect(closed !== null && isComplete(closed)).toBe(true)
  })

  test("is complete only where every property is demanded, at every depth", () => {
    const inner = { type: "object", properties: { a: { type: "string" } } }
    expect(isComplete({ ...inner, required: ["a"] })).toBe(true)
    expect(isComplete(inner)).toBe(false)
    expect(
      isComplete({ type: "object", properties: { list: { type: "array", items: inner } }, required: ["list"] })
    ).toBe(false)
    expect(isComplete({ anyOf: [inner, { type: "null" }] })).toBe(false)
  })
})
