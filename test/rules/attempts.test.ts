import { expect, test } from "bun:test"
import { reviewBy, shipped } from "../support/rules.ts"

test("a very long statement whose errors are ignored does not stop the rule", async () => {
  const text = `function f() {\n  try {\n    x("${"log(".repeat(60_000)}") + 1\n  } catch (e) {}\n}\n`
  const { problems, records } = await reviewBy(shipped("ts/empty-catch"), { "a.ts": ["let y = 1\n", text] })
  expect(problems).toEqual([])
  expect(records.map(({ line }) => line)).toEqual([4])
})
