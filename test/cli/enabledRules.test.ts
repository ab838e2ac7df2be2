import { expect, test } from "bun:test"
import { enabledRules } from "../../src/cli/review.ts"
import type { Origin } from "../../src/domain/Setting.ts"
import { shippedRules } from "../../src/services/RuleSet.ts"

const origin: Origin = { _tag: "Default", because: "" }
const ids = (enable: ReadonlyArray<string>, disable: ReadonlyArray<string>) =>
  enabledRules({
    rulesEnable: enable.map((value) => ({ value, origin })),
    rulesDisable: disable.map((value) => ({ value, origin }))
  }).map(({ id }) => id)

const quiet = "test/new-export-without-test"

test("a rule that is off by default is applied only where it is asked for", () => {
  expect(ids([], [])).not.toContain(quiet)
  expect(ids([], []).length).toBe(shippedRules.filter((rule) => rule.offByDefault !== true).length)
  expect(ids(["test/*"], [])).toContain(quiet)
  expect(ids([quiet], [])).toContain(quiet)
})

test("switching a rule off has the last word", () => {
  expect(ids(["test/*"], [quiet])).not.toContain(quiet)
  expect(ids(["test/*"], ["test/*"]).filter((id) => id.startsWith("test/"))).toEqual([])
})
