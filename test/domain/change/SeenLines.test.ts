import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { DiffFile } from "../../../src/domain/change/Diff.ts"
import { allLines, joinedLines, type SeenLines, unseen } from "../../../src/domain/change/SeenLines.ts"
import { diffText } from "../../../src/prompts/diffText.ts"
import { changeOf } from "../../support/change.ts"
import { it } from "../../support/effect.ts"

const numbered = (count: number, word: string) =>
  `${Array.from({ length: count }, (_, at) => `${word} ${at + 1}`).join("\n")}\n`

/** Adds, replaces and deletes, near to each other and far apart; one file is new and one is renamed. */
const before = numbered(60, "line")
const after = before
  .replace("line 5\n", "line 5\nnew a\nnew b\n")
  .replace("line 7\n", "changed 7\n")
  .replace("line 20\nline 21\n", "")
  .replace("line 40\n", "changed 40\nnew 40\n")
const files = changeOf({ "a.py": [before, after], "b.py": [null, numbered(30, "fresh")] }).diff.files

const head = (path: string, from: number, to = from): SeenLines => ({ path, side: "head", from, to })
const base = (path: string, from: number, to = from): SeenLines => ({ path, side: "base", from, to })

const Range = Schema.Struct({
  path: Schema.Literals(["a.py", "b.py"]),
  side: Schema.Literals(["head", "base"]),
  from: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65 })),
  length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
})
const Ranges = Schema.Array(Range)
const rangesIn = (drawn: typeof Ranges.Type): ReadonlyArray<SeenLines> =>
  drawn.map(({ from, length, path, side }) => ({ path, side, from, to: from + length }))

/** The changed lines of some files, as words. */
const changed = (some: ReadonlyArray<DiffFile>): ReadonlyArray<string> =>
  some.flatMap(({ hunks, path }) =>
    hunks.flatMap(({ lines }) =>
      lines.flatMap(({ kind, newLine, oldLine }) =>
        kind === "context" ? [] : [`${path} ${kind} ${kind === "added" ? newLine : oldLine}`]
      )
    )
  )

describe("the unseen part of a change", () => {
  test("is everything when nothing was seen, and nothing when everything was", () => {
    expect(changed(unseen(files, []))).toEqual(changed(files))
    expect(unseen(files, allLines(files))).toEqual([])
  })

  test("has an added line until it is seen on the head side", () => {
    const lines = [base("b.py", 1, 100), head("b.py", 1, 29)]
    expect(changed(unseen(files.slice(1), lines))).toEqual(["b.py added 30"])
  })

  test("has a deleted line until it is seen on the base side", () => {
    const lines = [head("a.py", 1, 100)]
    expect(changed(unseen(files.slice(0, 1), lines))).toEqual(["a.py deleted 20", "a.py deleted 21"])
    expect(unseen(files.slice(0, 1), [...lines, base("a.py", 20, 21)])).toEqual([])
  })

  test("has the replaced lines and three lines of context around them", () => {
    const [hunk] = unseen(files.slice(0, 1), [base("a.py", 20, 21), head("a.py", 1, 30)])[0]?.hunks ?? []
    expect(hunk?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "context line 37",
      "context line 38",
      "context line 39",
      "deleted line 40",
      "added changed 40",
      "added new 40",
      "context line 41",
      "context line 42",
      "context line 43"
    ])
  })

  it.prop("never grows by seeing more", Schema.Tuple([Ranges, Ranges]), ([one, other]) => {
    const some = changed(unseen(files, rangesIn(one)))
    for (const line of changed(unseen(files, rangesIn([...one, ...other])))) expect(some).toContain(line)
  })

  it.prop("is empty once it was seen too", Ranges, (drawn) => {
    const seen = rangesIn(drawn)
    expect(unseen(files, [...seen, ...allLines(unseen(files, seen))])).toEqual([])
    // It is complete by itself, as a diff for a further agent.
    expect(unseen(unseen(files, seen), allLines(unseen(files, seen)))).toEqual([])
  })

  it.prop("does not depend on the order or the form of the ranges", Ranges, (drawn) => {
    const seen = rangesIn(drawn)
    expect(unseen(files, seen.toReversed())).toEqual(unseen(files, seen))
    expect(unseen(files, joinedLines(seen))).toEqual(unseen(files, seen))
    expect(joinedLines(joinedLines(seen))).toEqual(joinedLines(seen))
  })

  it.prop(
    "is shown by further prompts, however little room each has",
    Schema.Int.check(Schema.isBetween({ minimum: 260, maximum: 600 })),
    (room) => {
      let left: ReadonlyArray<DiffFile> = files
      let prompts = 0
      for (; left.length > 0; prompts++) {
        const { shown } = diffText(left, room)
        expect(shown.length).toBeGreaterThan(0)
        left = unseen(left, shown)
      }
      expect(prompts).toBeLessThan(12)
    }
  )

  test("has a line that the prompt cuts", () => {
    const wide = changeOf({ "a.md": [null, `short\n${"x".repeat(3_000)}\nshort\n`] }).diff.files
    expect(changed(unseen(wide, diffText(wide, 10_000).shown))).toContain("a.md added 2")
  })
})
