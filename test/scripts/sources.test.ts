/** A small part of what `scripts/fuzz/sources.ts` looks for, the same each time. */
import { expect, test } from "bun:test"
import { catalogue } from "../../src/rules/catalogue.ts"
import { damagedSource } from "../support/damagedSources.ts"
import { reviewBy } from "../support/rules.ts"

/** What a review reports of a file that is larger than its limits. */
const limits = /its syntax tree was not read to the end|^at most \d+ findings are listed/

test("every rule handles damaged sources, in every language", async () => {
  for (let seed = 0; seed < 45; seed++) {
    const { base, head, path } = damagedSource(seed)
    const { problems } = await reviewBy(catalogue, { [path]: [base, head], "src/b.py": [null, "a(b)\n"] })
    const unlimited = problems.filter((problem) => !limits.test(problem))
    expect(unlimited, `source ${seed}`).toEqual([])
  }
})
