import { expect, test } from "bun:test"
import { judgedLines } from "../../../../support/cli/damagedLines.ts"
import { cliNames } from "../../../../support/cli/protocols.ts"

for (const name of cliNames) {
  test(`damage to the output of ${name} never adds anything to its answer`, () => {
    const wrong: Array<string> = []
    for (let seed = 1; seed <= 400; seed++) {
      const verdict = judgedLines(name, seed)
      if (verdict !== null) wrong.push(`${seed}: ${verdict}`)
    }
    expect(wrong).toEqual([])
  })
}
