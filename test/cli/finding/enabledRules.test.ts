import { expect, test } from "bun:test"
import { enabledRules } from "../../../src/cli/finding/enabledRules.ts"
import { unknownRuleNotes } from "../../../src/cli/finding/ruleNotes.ts"
import type { Origin } from "../../../src/domain/run/Setting.ts"
import { shippedRules } from "../../../src/services/finding/RuleSet.ts"

const origin: Origin = { _tag: "Default", because: "" }
const ids = (enable: ReadonlyArray<string>, disable: ReadonlyArray<string>) =>
  enabledRules({
    rulesEnable: enable.map((value) => ({ value, origin })),
    rulesDisable: disable.map((value) => ({ value, origin }))
  }).map(({ id }) => id)

const quiet = "test/new-export-without-test"

test("a rule that is off by default is applied only where it is requested", () => {
  expect(ids([], [])).not.toContain(quiet)
  expect(ids([], []).length).toBe(shippedRules.filter((rule) => rule.offByDefault !== true).length)
  expect(ids(["test/*"], [])).toContain(quiet)
  expect(ids([quiet], [])).toContain(quiet)
})

test("an unknown rule in the settings is a warning with the rule that was probably meant", () => {
  const named = (value: string) => [{ value, origin: { _tag: "Flag", name: "x" } as const }]
  const rules = [...shippedRules, ...shippedRules.slice(0, 1).map((rule) => ({ ...rule, id: "user/mine" }))]
  const notes = (disable: string, enable: string, isIncomplete = false) =>
    unknownRuleNotes({ rulesDisable: named(disable), rulesEnable: named(enable) }, rules, isIncomplete)
  expect(notes("py/bare-exept", "tesst/*")).toEqual([
    'rules.disable (x): py/bare-exept: there is no such rule (did you mean "py/bare-except"?)',
    'rules.enable (x): tesst/*: there is no such area (did you mean "test/*"?)'
  ])
  expect(notes("py/*", "user/*")).toEqual([])
  expect(notes("py/*", "user/mime")).toHaveLength(1)
  // It may be the rule of a file that is broken.
  expect(notes("repo/broken", "user/mime", true)).toEqual([])
})

test("switching a rule off has the last word", () => {
  expect(ids(["test/*"], [quiet])).not.toContain(quiet)
  expect(ids(["test/*"], ["test/*"]).filter((id) => id.startsWith("test/"))).toEqual([])
})
