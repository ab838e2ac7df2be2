/** The output of commands on a narrow terminal: no line is wider, except for a word that cannot be divided. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { columns as columnsOf } from "../../src/cli/text/Page.ts"
import { dd } from "../support/binary.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { onTerminal } from "../support/terminalScreen.ts"

const place = scratch()
afterAll(() => place[Symbol.dispose]())
const repository = initRepository(join(place.path, "repo"))
const home = join(place.path, "home")
mkdirSync(home)
repository.commit("Sell", { "shop/cart.py": "def total(items):\n    return sum(items)\n" })
repository.commit("Fix", { "shop/cart.py": "def total(items, tax=[]):\n    tax.append(1)\n    return sum(items)\n" })

const linesOf = async (args: ReadonlyArray<string>, columns: number): Promise<ReadonlyArray<string>> => {
  const env = { PATH: systemPath, HOME: home, NO_COLOR: "1", PAGER: "cat" }
  const run = onTerminal([dd, ...args], { columns, cwd: repository.root, env })
  await run.ended()
  // The text after the last erasure of progress.
  return (run.printed().split("\u001b[J\r").at(-1) ?? "").split("\r\n")
}

const isOneWord = (line: string): boolean => /^\s*(?:\S+:? +)?\S+$/.test(line)

for (const columns of [80, 40]) {
  describe(`on a terminal of ${columns} columns`, () => {
    for (const command of [
      "review --commit HEAD",
      "review --commit HEAD --preview",
      "brief --commit HEAD",
      "pack --commit HEAD",
      "symbols total",
      "rules list",
      "rules test shop",
      "rules check",
      "trajectory show",
      "archive list",
      "archive show latest",
      "archive stats",
      "archive prune",
      "session list",
      "hook status",
      "dream status",
      "dream tasks",
      "dream artifacts list",
      "dream why",
      "dream rollback",
      "flow list",
      "flow show deep",
      "ext validate",
      "config show --origin",
      "trust",
      "doctor",
      "reveiw"
    ]) {
      test(`dd ${command}`, async () => {
        await archived
        const lines = await linesOf(command.split(" "), columns)
        expect(lines.length).toBeGreaterThan(1)
        expect(lines.filter((line) => columnsOf(line) > columns && !isOneWord(line))).toEqual([])
      })
    }
  })
}

const archived = linesOf(["review", "--commit", "HEAD"], 80)
