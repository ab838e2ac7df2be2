import { describe, expect, test } from "bun:test"
import { briefSections, learnedLines } from "../../../src/domain/brief/briefLines.ts"
import type { LearnedArtifact } from "../../../src/domain/brief/Learned.ts"
import { learnedFacts, learnedRepairs } from "../../../src/domain/brief/learnedFacts.ts"
import { habitOf } from "../../../src/domain/code/habits/Habit.ts"
import { emptyBrief } from "../../support/briefs.ts"

const convention = (key: string, more: Partial<LearnedArtifact> = {}): LearnedArtifact => ({
  id: key,
  kind: "convention",
  title: key,
  habit: habitOf(key),
  files: [],
  rule: null,
  confidence: 0.9,
  from: { sessions: 3, since: "2026-09-01" },
  ...more
})

const file = (path: string, after: ReadonlyArray<string>, before: ReadonlyArray<string> = []) => ({
  path,
  before: before.map((key) => habitOf(key)!),
  after: after.map((key) => habitOf(key)!)
})

const said = (...args: Parameters<typeof learnedFacts>) =>
  learnedFacts(...args).map(({ artifact, broken, files }) => [artifact, files.join(), broken.join()])

describe("what was learned of the changed files", () => {
  const kebab = "naming:ts:=kebab-case"

  test("a convention applies to files that have its slot, and a new file can break it", () => {
    expect(said([convention(kebab)], [file("aB.ts", ["naming:ts:=camelCase"]), file("a-b.ts", [kebab])])).toEqual([
      [kebab, "aB.ts,a-b.ts", "aB.ts"]
    ])
    expect(said([convention(kebab)], [file("a.py", ["naming:py:=snake_case"])])).toEqual([])
  })

  test("a file that differed before does not break it, one that followed it does", () => {
    const other = ["naming:ts:=camelCase"]
    expect(said([convention(kebab)], [file("aB.ts", other, other)])).toEqual([[kebab, "aB.ts", ""]])
    expect(said([convention(kebab)], [file("aB.ts", other, [kebab])])).toEqual([[kebab, "aB.ts", "aB.ts"]])
  })

  test("the names of a folder have precedence over those of the repository", () => {
    const inUi = "naming:ts:ui=PascalCase"
    const changed = file("ui/AbC.ts", [inUi, "naming:ts:=PascalCase"])
    expect(said([convention(kebab), convention(inUi)], [changed])).toEqual([[inUi, "ui/AbC.ts", ""]])
  })

  test("of two values of a slot, the more certain one counts", () => {
    const snake = convention("naming:ts:=snake_case", { confidence: 0.8 })
    expect(said([snake, convention(kebab)], [file("a-b.ts", [kebab])])).toEqual([[kebab, "a-b.ts", ""]])
  })

  test("a repair applies to the files that needed it, and is never broken", () => {
    const repair = convention("r", { kind: "repair", habit: null, files: ["a.ts"] })
    expect(said([repair], [file("a.ts", []), file("b.ts", [])])).toEqual([["r", "a.ts", ""]])
  })

  test("a repair of a rule applies to files with a finding of the rule, the most certain repair first", () => {
    const repair = (id: string, rule: string, confidence: number) =>
      convention(id, { kind: "repair", habit: null, rule, confidence, from: { agreeing: 3, judged: 4 } })
    const all = [repair("b", "x", 0.5), repair("a", "x", 0.5), repair("c", "x", 0.9), repair("d", "y", 1)]
    const found = learnedRepairs(all, [{ file: "a.ts", rule: "x" }, { file: "a.ts", rule: "x" }, { file: "b.ts" }])
    expect(found.map(({ artifact, files }) => [artifact, files.join()])).toEqual([
      ["c", "a.ts"],
      ["a", "a.ts"],
      ["b", "a.ts"]
    ])
    expect(learnedFacts(all, [file("a.ts", [])])).toEqual([])
    expect(learnedLines({ learned: found })[0]?.text).toBe("c (3 of 4 fixes passed their check; dd dream why c)")
    const many = Array.from({ length: 20 }, (_, at) => repair(`r${at}`, "x", 0.5))
    expect(learnedRepairs(many, [{ file: "a.ts", rule: "x" }])).toHaveLength(12)
  })

  test("a brief has twelve facts at most, in short only what is broken, and nothing without facts", () => {
    const many = Array.from({ length: 20 }, (_, at) => convention(`imports:order:l${at}=packages first`))
    const keys = many.map(({ id }) => id)
    const learned = learnedFacts(many, [file("a.ts", [...keys.slice(0, 19), "imports:order:l19=mixed"])])
    expect(learned).toHaveLength(12)
    const lines = (extent: "short" | "full") =>
      briefSections({ ...emptyBrief, learned }, extent).flatMap((section) => section.lines.map(({ text }) => text))
    expect(lines("short")).toEqual([
      "imports:order:l19=packages first (3 sessions since 2026-09-01; dd dream artifacts why imports:order:l19=packages first); not in a.ts"
    ])
    expect(lines("full")).toHaveLength(12)
    expect(briefSections(emptyBrief, "full")).toEqual([])
  })
})
