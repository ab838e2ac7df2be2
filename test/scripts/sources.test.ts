/** A small part of what `scripts/fuzz/sources.ts` looks for, the same each time. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { catalogue } from "../../src/rules/catalogue.ts"
import { damagedSource } from "../support/damagedSources.ts"
import { patience } from "../support/patience.ts"
import { reviewBy } from "../support/rules.ts"

setDefaultTimeout(patience)

test("every rule handles damaged sources, in every language", async () => {
  for (let seed = 0; seed < 45; seed++) {
    const { base, head, path } = damagedSource(seed)
    const { problems } = await reviewBy(catalogue, { [path]: [base, head], "src/b.py": [null, "a(b)\n"] })
    const unlimited = problems.filter((problem) => !problem.includes("its syntax tree was not read to the end"))
    expect(unlimited, `source ${seed}`).toEqual([])
  }
})
