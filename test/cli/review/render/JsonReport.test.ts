import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { JsonReport, printedSchema, renderJson } from "../../../../src/cli/review/render/JsonReport.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult } from "../../../support/hostileReview.ts"
import { hostileText } from "../../../support/hostileText.ts"
import { breachesOf } from "../../../support/jsonSchema.ts"
import { cleanResult, present, sampleContext, sampleResult } from "../../../support/sampleReview.ts"

const report = (result = sampleResult) => JSON.parse(renderJson(present(result), sampleContext))
const breaches = breachesOf(JSON.parse(printedSchema()))

describe("the json report", () => {
  it("fits the schema that is published", () => {
    for (const result of [sampleResult, cleanResult]) expect(breaches(report(result))).toEqual([])
  })

  it.prop("fits it whatever the repository and the model contain", hostileText, (pieces) => {
    expect(breaches(report(hostileResult(pieces.join(""))))).toEqual([])
  })

  it("is refused by the schema when something is missing or misspelt", () => {
    const { status: _, ...without } = report()
    expect(breaches(without)).not.toEqual([])
    expect(breaches({ ...report(), status: "clean" })).not.toEqual([])
    expect(breaches({ ...report(), schema_version: 2 })).not.toEqual([])
  })

  it("keeps the published order of its keys", () => {
    expect(Object.keys(report())).toEqual(
      "schema_version tool run status findings dropped suppressed fix passes feedback degraded coverage brief stacks agents_planned cost notes".split(
        " "
      )
    )
    expect(Object.keys(report().run)).toEqual(
      "session_id flow backend reviewed_by base head started_at duration_ms description".split(" ")
    )
    expect(Object.keys(report().findings[0])).toEqual(
      "id rule title description file line end_line column end_column label related severity confidence lens stack source rationale evidence fingerprint suggestion verdict new".split(
        " "
      )
    )
  })

  it("can be read back by the schema it was written with", () => {
    const read = Schema.decodeUnknownSync(JsonReport)(report())
    expect(read.findings).toHaveLength(7)
    expect(read.suppressed[0]?.added_by_change).toBe(true)
  })

  it("publishes a schema that does not change by accident", () => {
    expect(printedSchema()).toMatchSnapshot()
  })
})
