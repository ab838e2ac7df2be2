import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { judgedCount, noneJudged, type Verdicts, verdictsOf } from "../../../src/domain/finding/Judged.ts"
import { catalogue } from "../../../src/rules/catalogue.ts"
import { judgedByRule } from "../../../src/rules/page/judgements.ts"

const head = "scope\trepository\tcommit\trule\tfile\tline\tverdict\treason\tnow"
const read = (rows: ReadonlyArray<string>, tallies: ReadonlyArray<string> = []) =>
  judgedByRule(`${[head, ...rows].join("\n")}\n`, `${["source\trule\ttrue\targuable\tfalse", ...tallies].join("\n")}\n`)

test("verdicts are counted by rule and scope, with those of tallies", () => {
  const judged = read(
    [
      "commits\ta/a\t1\tgo/one\ta.go\t1\ttrue\tA crash\treported",
      "trees\ta/a\t1\tgo/one\ta.go\t1\ttrue\tA crash\t",
      "trees\ta/a\t1\tgo/one\ta.go\t2\targuable\tOn purpose\t"
    ],
    ["1,000 commits\tgo/one\t2\t0\t1"]
  )
  expect(judged.get("go/one")).toEqual({
    commits: { true: 3, arguable: 0, false: 1 },
    trees: { true: 1, arguable: 1, false: 0 }
  })
})

test("a finding that is not reported any more is not counted, and repetitions in a repository count once", () => {
  const judged = read([
    "trees\ta/a\t1\tgo/one\ta.go\t1\tfalse\tA test\tsilent",
    "trees\ta/a\t1\tgo/one\ta.go\t2\tfalse\tA list\treported",
    "trees\ta/a\t2\tgo/one\tb.go\t2\tfalse\tA list\treported",
    "trees\tb/b\t2\tgo/one\tb.go\t2\tfalse\tA list\treported"
  ])
  expect(judged.get("go/one")?.trees).toEqual({ true: 0, arguable: 0, false: 2 })
})

test("docs/static-rules.md has the verdicts of every rule", () => {
  const words = ({ true: right, arguable, false: wrong }: Verdicts) => `${right} / ${arguable} / ${wrong}`
  const rows = catalogue.flatMap(({ confidence, id, judged = noneJudged, offByDefault, severity }) => {
    if (judgedCount(verdictsOf(judged)) === 0) return []
    const level = offByDefault === true ? `${severity}, off` : severity
    return `| \`${id}\` | ${level} | ${confidence.toLowerCase()} | ${words(judged.commits)} | ${words(judged.trees)} |`
  })
  const docs = readFileSync(join(import.meta.dir, "../../../docs/static-rules.md"), "utf8")
  const section = docs.slice(docs.indexOf("## Verdicts by rule"))
  expect(section.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows.sort())
})
