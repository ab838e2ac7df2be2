import { expect, test } from "bun:test"
import { judgedLines } from "../../../../support/cli/damagedLines.ts"
import { cliNames } from "../../../../support/cli/protocols.ts"

for (const name of cliNames) {
  test(`no damage to what ${name} prints makes dd say what was not said`, () => {
    const wrong: Array<string> = []
    for (let seed = 1; seed <= 400; seed++) {
      const verdict = judgedLines(name, seed)
      if (verdict !== null) wrong.push(`${seed}: ${verdict}`)
    }
    expect(wrong).toEqual([])
  })
}
