import { describe, expect, test } from "bun:test"
import { folded } from "../../../src/cli/text/Page.ts"
import { table } from "../../../src/cli/text/Rows.ts"

const names = ["RUN", "BRANCH", "FLOW", "COST"]
const rows = [["1", "feature/long", "deep", "$0.25"]]
const flexible = [
  { name: "BRANCH", least: 6 },
  { name: "FLOW", least: 0 },
  { name: "BRANCH", least: 0 }
]
const on = (width: number) => table(names, rows, width, new Set(["COST"]), flexible)

describe("a table", () => {
  test("cuts a value with a word that no line can hold", () => {
    const lines = table(["ID", "DATA", "NOTE"], [["a", "x".repeat(404), "y".repeat(40)]], 80)
    expect(lines).toEqual(["ID    a", `DATA  ${"x".repeat(73)}…`, `NOTE  ${"y".repeat(40)}`])
  })

  test("has all columns on a wide page", () => {
    expect(on(80)).toEqual(["RUN  BRANCH        FLOW   COST", "1    feature/long  deep  $0.25"])
  })

  test("shortens a column and leaves out others on a narrow page, so that the last column stays", () => {
    expect(on(26)).toEqual(["RUN  BRANCH    FLOW   COST", "1    feature…  deep  $0.25"])
    expect(on(20)).toEqual(["RUN  BRANCH   COST", "1    featu…  $0.25"])
    expect(on(12)).toEqual(["RUN   COST", "1    $0.25"])
  })
  test("becomes a block for each row where its columns have no room", () => {
    expect(table(names, [...rows, ["2", "main", "", "$1.00"]], 10)).toEqual([
      "RUN     1",
      "BRANCH  feature/long",
      "FLOW    deep",
      "COST    $0.25",
      "",
      "RUN     2",
      "BRANCH  main",
      "COST    $1.00"
    ])
  })
  test("does not cut prose in its last column, whose lines break when it is printed", () => {
    const prose = [{ name: "WHAT", least: 24, isProse: true }]
    const lines = table(
      ["ID", "WHAT"],
      [["1", "when a test fails, run it alone and read the assertion"]],
      30,
      new Set(),
      prose
    )
    expect(folded(lines.join("\n"), 30).split("\n")).toEqual([
      "ID  WHAT",
      "1   when a test fails, run it",
      "    alone and read the",
      "    assertion"
    ])
  })
})
