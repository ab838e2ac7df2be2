import { describe, expect, it } from "bun:test"
import type { Brief } from "../../../src/domain/brief/Brief.ts"
import { nothingExplored } from "../../../src/domain/code/Exploration.ts"
import { conventionsOf } from "../../../src/languages/conventions.ts"
import { changeFacts } from "../../../src/services/agent/changeFacts.ts"
import { emptyBrief } from "../../support/briefs.ts"
import { change } from "../../support/builders.ts"

const reviewed = change({ "cart.py": ["total = 1"], "shop.py": ["import cart"] })

const added = (name: string, file: string): Brief["definitions"][number] => ({
  change: "added",
  kind: "function",
  name,
  file,
  line: 1,
  before: null,
  after: null,
  public: true
})

describe("the facts that a reviewer of some files is told", () => {
  it("are those of its files, each with its place, and those of unchanged files", () => {
    const brief: Brief = {
      ...emptyBrief,
      definitions: [added("total", "cart.py"), added("open", "shop.py")],
      companions: [{ file: "menu.py", with: "cart.py", together: 4, commits: 5, latest: "abcdef0123456789" }]
    }
    expect(changeFacts(brief, reviewed, ["cart.py"], nothingExplored)).toEqual([
      "Changed: added function total (cart.py:1)",
      "Companion: menu.py changed in 4 of the last 5 commits to cart.py, and not here (last: abcdef0123)"
    ])
  })

  it("contain what the explorer found about these files and no others", () => {
    const found = changeFacts(emptyBrief, reviewed, ["cart.py"], {
      ...nothingExplored,
      dependencies: [
        { source: "shop.py", target: "cart.py", relationship: "imports" },
        { source: "a.py", target: "b.py", relationship: "imports" }
      ],
      conventions: conventionsOf(
        "pyproject.toml",
        '[project]\nrequires-python = ">=3.12"\n[tool.black]\nline-length = 100\n'
      )
    })
    // A reviewer reports no formatting.
    expect(found).toEqual([
      "cart.py is imported by shop.py",
      "convention in pyproject.toml: Python version: requires Python >=3.12"
    ])
  })

  it("name the tests of its files as files, and no command or time of reading", () => {
    const brief: Brief = {
      ...emptyBrief,
      definitions: [added("total", "cart.py"), added("open", "shop.py")],
      tests: {
        files: [
          { file: "test_cart.py", by: "use", of: "total" },
          { file: "test_all.py", by: "import", of: "cart.py" },
          { file: "test_shop.py", by: "use", of: "open" },
          { file: "test_new.py", by: "change", of: "test_new.py" }
        ],
        commands: ["pytest test_cart.py"],
        runner: null,
        untested: []
      },
      size: { ...emptyBrief.size, files: 2, added: 1, minutes: { least: 1, most: 2 } }
    }
    expect(changeFacts(brief, reviewed, ["cart.py"], nothingExplored)).toEqual([
      "Changed: added function total (cart.py:1)",
      "test test_cart.py: uses total",
      "test test_all.py: imports cart.py"
    ])
  })

  it("name some importers of a file, and count the others", () => {
    const dependencies = Array.from({ length: 8 }, (_, at) => ({
      source: `user${at}.py`,
      target: "cart.py",
      relationship: "imports" as const
    }))
    // What a file imports is in the file.
    const own = { source: "cart.py", target: "money.py", relationship: "imports" as const }
    const found = changeFacts(emptyBrief, reviewed, ["cart.py"], {
      ...nothingExplored,
      dependencies: [own, ...dependencies]
    })
    expect(found).toEqual([
      "cart.py is imported by user0.py, user1.py, user2.py, user3.py, user4.py, user5.py and 2 more"
    ])
  })

  it("are limited, and the rest is counted", () => {
    const definitions = Array.from({ length: 100 }, (_, at) => added(`f${at}`, "cart.py"))
    const facts = changeFacts({ ...emptyBrief, definitions }, reviewed, ["cart.py"], nothingExplored)
    expect(facts).toHaveLength(61)
    expect(facts.at(-1)).toBe("(40 more of these)")
  })
})
