/** Which findings of a review stop git. */
import { expect, test } from "bun:test"
import { stopping, thresholdOf } from "../../../src/cli/hook/hookReview.ts"
import { finding } from "../../support/finding.ts"
import { sampleResult } from "../../support/sampleReview.ts"

const result = {
  ...sampleResult,
  fix: null,
  findings: [
    finding({ id: 1, severity: "high", source: "static", new: true }),
    finding({ id: 2, severity: "high", source: "model", new: true }),
    finding({ id: 3, severity: "medium", source: "static", new: true }),
    finding({ id: 4, severity: "high", source: "static", new: false })
  ]
}

test("new findings of static checks at the threshold stop git, and those of a model only if the user wants that", () => {
  const ids = (...args: Parameters<typeof stopping>) => stopping(...args).map(({ id }) => id)
  expect(ids(result, "high", false)).toEqual([1])
  expect(ids(result, "high", true)).toEqual([1, 2])
  expect(ids(result, "medium", false)).toEqual([1, 3])
  expect(ids(result, "none", true)).toEqual([])
})

test("the threshold is high unless the user has set one", () => {
  expect(thresholdOf({ failOn: { value: "none", origin: { _tag: "Default", because: "" } } })).toBe("high")
  expect(thresholdOf({ failOn: { value: "none", origin: { _tag: "Flag", name: "--fail-on" } } })).toBe("none")
})
