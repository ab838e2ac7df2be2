import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { Alternative } from "../../../src/domain/finding/Alternative.ts"
import { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import {
  alternativeRecords,
  applyNotes,
  mergeRecords,
  samePlace,
  titleOf
} from "../../../src/domain/finding/MergedItem.ts"
import { MergeNote } from "../../../src/domain/finding/MergeNote.ts"
import type { StackRecords } from "../../../src/domain/finding/StackReport.ts"
import { it } from "../../support/effect.ts"

type Fields = Partial<ConstructorParameters<typeof ReviewRecord>[0]>

const record = (fields: Fields = {}) =>
  ReviewRecord.make({
    id: 1,
    description: "Missing null check in parser",
    file: "a.py",
    line: 10,
    confidence: "MEDIUM",
    severity: "medium",
    rationale: "",
    evidence: "a.py:10",
    ...fields
  })

const said = (name: string, ...records: ReadonlyArray<ReviewRecord>): StackRecords => ({
  stack: { name, files: [] },
  records
})

const alternative = (fields: Partial<ConstructorParameters<typeof Alternative>[0]> = {}) =>
  Alternative.make({
    id: 7,
    title: "Keep the parser state in one value",
    description: "Three flags say the same.",
    recommendation: "Use a union.",
    severity: "low",
    files: ["a.py"],
    confidence: "HIGH",
    rationale: "",
    evidence: "a.py:40",
    ...fields
  })

describe("mergeRecords", () => {
  it("places an alternative at its line, else where its evidence points, else at its file", () => {
    const placeOf = (fields: Parameters<typeof alternative>[0]) => {
      const [item] = mergeRecords([alternativeRecords([alternative(fields)])])
      return `${item?.record.file}:${item?.record.line}`
    }
    expect(placeOf({ files: ["a.py", "b.py"], line: 7, evidence: "b.py:3" })).toBe("a.py:7")
    expect(placeOf({ files: ["a.py", "b.py"], line: 0, evidence: "b.py:3" })).toBe("b.py:3")
    expect(placeOf({ files: ["a.py", "b.py"], evidence: "c.py:3" })).toBe("a.py:0")
  })

  it("merges the same claim of two reviewers at the same place into one item", () => {
    const items = mergeRecords([
      said("python", record({ evidence: "a.py:10", severity: "low", confidence: "HIGH" })),
      said("react", record({ line: 12, description: "Null check missing in the parser", evidence: "a.py:12 is None" }))
    ])
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ id: 1, stacks: ["python", "react"], lens: "cross-stack" })
    expect(items[0]!.record).toMatchObject({ severity: "medium", confidence: "HIGH" })
    expect(items[0]!.record.evidence).toBe("a.py:12 is None; a.py:10")
    expect(items[0]!.merged).toHaveLength(1)
  })

  it("never merges different places, whatever the words", () => {
    const same = "Missing null check in parser"
    for (const other of [
      record({ file: "b.py", description: same }),
      record({ line: 14, description: same }),
      record({ line: 0, description: same })
    ]) {
      expect(mergeRecords([said("python", record()), said("react", other)])).toHaveLength(2)
    }
  })

  it("does not merge a chain of neighbours down a file", () => {
    const chain = [10, 13, 16, 19, 22].map((line, id) => record({ id, line }))
    expect(mergeRecords([said("python", ...chain)]).map((item) => item.record.line)).toEqual([10, 16, 22])
  })

  it("keeps claims at one place in different words apart", () => {
    const items = mergeRecords([
      said("python", record()),
      said("react", record({ description: "The file handle is never closed" }))
    ])
    expect(items).toHaveLength(2)
  })

  it("counts one rule once a place, and two of its claims on neighbouring lines twice", () => {
    const rule = "py/mutable-default"
    const twice = mergeRecords([
      said("python", record({ rule })),
      said("structure", record({ rule, description: "x" }))
    ])
    expect(twice).toHaveLength(1)
    const neighbours = mergeRecords([said("python", record({ rule }), record({ rule, id: 2, line: 11 }))])
    expect(neighbours).toHaveLength(2)
  })

  it("keeps two claims of one rule on one line apart", () => {
    const gone = (id: number, name: string, user: string) =>
      record({
        id,
        rule: "xref/removed-definition-still-used",
        title: `\`${name}\` is removed, but one place still uses it`,
        description: `\`${name}\` is removed, but one place still uses it. Used at ${user}:1.`,
        evidence: `a.py:10; ${user}:1`
      })
    const items = mergeRecords([said("structure", gone(1, "alpha_thing", "u1.py"), gone(2, "beta_other", "u2.py"))])
    expect(items.map((item) => item.record.evidence)).toEqual(["a.py:10; u1.py:1", "a.py:10; u2.py:1"])
  })

  it("uses a rule's record for the item, with the highest severity", () => {
    const items = mergeRecords([
      said("python", record({ rule: "py/none", severity: "low", description: "Missing null check in the parser" })),
      said("react", record({ line: 11, severity: "high" }))
    ])
    expect(items[0]!.record).toMatchObject({ rule: "py/none", line: 10, severity: "high" })
    expect(items[0]!.record.rationale).toBe("Also reported (react): Missing null check in parser")
  })

  it("gives the suggestion of a rule to a rule's item, and that of a model only to a model's", () => {
    const suggestionOf = (...records: ReadonlyArray<ReviewRecord>) =>
      mergeRecords([said("python", ...records)]).map((item) => item.record.suggestion)
    const [model, rule] = [record({ id: 2, suggestion: "model" }), record({ rule: "py/none" })]
    expect(suggestionOf(rule, model)).toEqual([undefined])
    expect(suggestionOf(record({ rule: "py/none", suggestion: "" }), model)).toEqual([""])
    expect(suggestionOf(record(), model)).toEqual(["model"])
  })

  it("names the lens by who spoke", () => {
    const lens = (...names: ReadonlyArray<string>) =>
      mergeRecords(names.map((name) => said(name, record()))).map((item) => item.lens)
    expect(lens("python")).toEqual(["per-stack"])
    expect(lens("python", "go")).toEqual(["cross-stack"])
    expect(lens("structure")).toEqual(["structural"])
    expect(lens("structure", "go")).toEqual(["structural"])
  })

  it("shows an alternative as a wonder, at the place its evidence points to", () => {
    const items = mergeRecords([
      alternativeRecords([alternative(), alternative({ id: 8, evidence: "everywhere", title: "Other" })])
    ])
    expect(items.map((item) => [item.lens, item.record.file, item.record.line])).toEqual([
      ["wonder", "a.py", 0],
      ["wonder", "a.py", 40]
    ])
  })

  it("merges an alternative into the record with the same claim there", () => {
    const items = mergeRecords([
      said("python", record({ line: 40, title: "Keep parser state in one value" })),
      alternativeRecords([alternative()])
    ])
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ lens: "per-stack", stacks: ["alternatives", "python"] })
  })

  it("is empty for nothing", () => {
    expect(mergeRecords([])).toEqual([])
  })

  const Small = Schema.Array(
    Schema.Struct({
      id: Schema.Literals([1, 2, 3]),
      stack: Schema.Literals(["go", "python", "structure"]),
      file: Schema.Literals(["a", "b"]),
      line: Schema.Literals([0, 1, 3, 5, 9]),
      description: Schema.Literals(["Race condition in cache", "Race condition in the cache layer", "Unused x"]),
      severity: Schema.Literals(["high", "low"])
    })
  )

  it.prop("does not depend on the order of the stacks or of their records", Small, (drawn) => {
    const stacks = drawn.map(({ stack, ...fields }) => said(stack, record(fields)))
    expect(mergeRecords(stacks.toReversed())).toEqual(mergeRecords(stacks))
  })

  it.prop("loses no record and invents none", Small, (drawn) => {
    const items = mergeRecords(drawn.map(({ stack, ...fields }) => said(stack, record(fields))))
    expect(items.length + items.reduce((n, item) => n + item.merged.length, 0)).toBe(drawn.length)
    expect(items.map((item) => item.id)).toEqual(items.map((_, index) => index + 1))
  })

  it("reads records in proportion to their number, wherever they are", () => {
    let reads = 0
    const counted = (each: ReviewRecord): ReviewRecord => ({
      ...each,
      get line() {
        reads++
        return each.line
      }
    })
    const readsOf = (records: ReadonlyArray<ReviewRecord>) => {
      reads = 0
      mergeRecords([said("python", ...records.map(counted))])
      return reads
    }
    const everywhere = (n: number) =>
      Array.from({ length: n }, (_, id) => record({ id, line: id * 2 + 1, description: `x${id} ${id * 7919}` }))
    const onOneLine = (n: number) =>
      Array.from({ length: n }, (_, id) => record({ id, description: `${id * 7919} q${id}` }))
    for (const shape of [everywhere, onOneLine]) {
      expect(readsOf(shape(4_000)) / readsOf(shape(1_000))).toBeLessThan(4.5)
    }
  })
})

describe("samePlace", () => {
  it("is where two claims overlap or are within three lines, in either order", () => {
    const at = (line: number, endLine = line) => record({ line, endLine })
    const same = (a: ReviewRecord, b: ReviewRecord) => {
      expect(samePlace(a, b)).toBe(samePlace(b, a))
      return samePlace(a, b)
    }
    expect(same(at(10), at(13))).toBe(true)
    expect(same(at(10), at(14))).toBe(false)
    expect(same(at(1, 50), at(30))).toBe(true)
    expect(same(at(0), at(1))).toBe(false)
  })
})

describe("titleOf", () => {
  it("falls back to the first sentence", () => {
    expect(titleOf(record({ description: "It leaks v1.2 handles. Always." }))).toBe("It leaks v1.2 handles.")
    expect(titleOf(record({ description: "no stop" }))).toBe("no stop")
    expect(titleOf(record({ title: "T" }))).toBe("T")
  })
})

describe("applyNotes", () => {
  it("keeps the lens when notes contradict each other", () => {
    const items = mergeRecords([said("python", record())])
    const noted = applyNotes(items, [
      MergeNote.make({ id: 1, note: "", lens: "cross-stack" }),
      MergeNote.make({ id: 1, note: "", lens: "per-stack" }),
      MergeNote.make({ id: 1, note: "", lens: "cross-stack" })
    ])
    expect(noted[0]?.lens).toBe("per-stack")
  })

  const items = mergeRecords([
    said("python", record(), record({ id: 2, line: 90 })),
    said("structure", record({ file: "z" }))
  ])

  it("adds words and moves between per-stack and cross-stack, nothing else", () => {
    const noted = applyNotes(items, [
      MergeNote.make({ id: 1, note: "Same cause as 2.", lens: "cross-stack" }),
      MergeNote.make({ id: 99, note: "no such item" })
    ])
    expect(noted).toHaveLength(items.length)
    expect(noted[0]).toMatchObject({ lens: "cross-stack", record: { rationale: "Same cause as 2." } })
    expect(noted.slice(1)).toEqual(items.slice(1))
  })

  it("leaves a structural item structural", () => {
    const at = items.findIndex((item) => item.lens === "structural")
    const noted = applyNotes(items, [MergeNote.make({ id: items[at]!.id, note: "", lens: "per-stack" })])
    expect(noted[at]!.lens).toBe("structural")
  })
})
