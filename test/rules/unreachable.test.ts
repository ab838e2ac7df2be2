import { describe, expect, test } from "bun:test"
import { reviewBy, shipped } from "../support/rules.ts"

const cases = [
  {
    rules: shipped("py/unreachable-code"),
    extension: "py",
    old: "def f():\n    g()\n",
    cut: "def f():\n    return\n    g()\n"
  },
  {
    rules: shipped("ts/unreachable-code"),
    extension: "ts",
    old: "function f() {\n  g()\n}\n",
    cut: "function f() {\n  return\n  g()\n}\n"
  }
] as const

describe("unreachable code", () => {
  for (const { rules, extension, old, cut } of cases) {
    test(`is reported at the new statement that makes old ${extension} code unreachable`, async () => {
      const { records } = await reviewBy(rules, { [`src/a.${extension}`]: [old, cut] })
      expect(records.map(({ line, title }) => [line, title])).toEqual([[2, "Code after this statement is unreachable"]])
    })

    test(`is not reported for an old ${extension} test that is switched off`, async () => {
      const { records } = await reviewBy(rules, { [`tests/a.${extension}`]: [old, cut] })
      expect(records).toEqual([])
    })

    test(`is not reported for old unreachable ${extension} code beside a change`, async () => {
      const { records } = await reviewBy(rules, { [`src/a.${extension}`]: [cut, `${cut}\nx = 1\n`] })
      expect(records).toEqual([])
    })
  }
})
