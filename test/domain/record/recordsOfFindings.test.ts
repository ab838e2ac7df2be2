import { describe, expect, test } from "bun:test"
import { recordsOfFindings } from "../../../src/domain/record/recordsOfFindings.ts"
import { finding } from "../../support/finding.ts"

describe("the claims of a run that keeps no artifacts", () => {
  const claims = (...findings: ReadonlyArray<ReturnType<typeof finding>>) =>
    recordsOfFindings(findings).map(({ records, stack }) => [stack, records.map(({ rule }) => rule)])

  test("belong to the first stack that reported them, and those of rules name their rule", () => {
    const model = { source: "model", rule: "model/structure" } as const
    expect(claims(finding(), finding({ ...model, stack: "python+structure" }))).toEqual([
      ["python", ["py/eval", undefined]]
    ])
  })

  test("are those of the stacks' reviewers only", () => {
    expect(claims(finding({ source: "model", rule: "model/alternative", stack: "alternatives" }))).toEqual([])
  })
})
