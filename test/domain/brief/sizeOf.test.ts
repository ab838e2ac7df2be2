import { describe, expect, test } from "bun:test"
import { briefSections } from "../../../src/domain/brief/briefLines.ts"
import { type ClusterFile, clustersOf, distinctiveWords, minutesFor } from "../../../src/domain/brief/sizeOf.ts"
import { emptyBrief } from "../../support/briefs.ts"

test("the time is hours if it is more than two of them, in the text", () => {
  const text = (least: number, most: number) => {
    const size = { ...emptyBrief.size, files: 1, minutes: { least, most } }
    return briefSections({ ...emptyBrief, size }, "full")
      .flatMap(({ lines }) => lines.map((line) => line.text))
      .join()
  }
  expect(text(60, 120)).toEndWith(", 60 to 120 minutes")
  expect(text(1965, 3945)).toEndWith(", 33 to 66 hours")
  expect(text(1, 1)).toEndWith(", 1 minute")
})

test("the minutes are a range, rounded", () => {
  expect(minutesFor(0)).toBeNull()
  expect(minutesFor(1)).toEqual({ least: 1, most: 1 })
  expect(minutesFor(100)).toEqual({ least: 15, most: 30 })
  expect(minutesFor(300)).toEqual({ least: 45, most: 90 })
  expect(minutesFor(2000)).toEqual({ least: 300, most: 600 })
})

describe("clusters", () => {
  const file = (path: string, over: Partial<ClusterFile> = {}): ClusterFile => ({
    path,
    changedLines: 40,
    words: new Set(),
    changedWords: new Set(),
    names: [],
    ...over
  })

  test("files without a reference between them are two", () => {
    expect(clustersOf([file("a/x.ts"), file("b/y.ts")])).toEqual([
      { name: "a/x.ts", files: ["a/x.ts"] },
      { name: "b/y.ts", files: ["b/y.ts"] }
    ])
  })

  test("a name of one file in the other joins them", () => {
    const files = [file("a/x.ts", { names: ["total"] }), file("b/y.ts", { words: new Set(["total"]) })]
    expect(clustersOf(files)).toEqual([])
  })

  test("a distinctive word in changed lines of both joins them", () => {
    const changedWords = new Set(["taxRate"])
    expect(clustersOf([file("a/x.ts", { changedWords }), file("b/y.ts", { changedWords })])).toEqual([])
  })

  test("a single small file is no part", () => {
    expect(clustersOf([file("a/x.ts"), file("b/y.ts", { changedLines: 3 })])).toEqual([])
  })

  test("distinctive words are made of several words", () => {
    expect(distinctiveWords("const taxRate = other_rate + total * LIMIT")).toEqual(["taxRate", "other_rate"])
  })
})
