import { describe, expect } from "bun:test"
import { Schema } from "effect"
import type { WordPlace } from "../../../src/domain/change/WordPlace.ts"
import {
  candidatesFor,
  type Found,
  hasEnough,
  hasEnoughNames,
  soughtBy
} from "../../../src/rules/structure/cloneCandidates.ts"
import { it } from "../../support/effect.ts"

const copyOf = (names: ReadonlyArray<string>, lines = 8): Found => ({
  path: "src/copy.py",
  name: "copy",
  line: 1,
  endLine: lines,
  shape: { statements: 7, shape: "", names: names.map((text) => ({ text, shared: true })) }
})

const letters = ["alphas", "bravos", "charlies", "deltas", "echoes", "foxtrots", "golfs", "hotels"]
const sought = (names: ReadonlyArray<string>, lines?: number) => {
  const found = soughtBy(copyOf(names, lines))
  if (found === null) throw new Error("nothing to look for")
  return found
}
const verified = (path: string, places: ReadonlyArray<readonly [number, string]>) =>
  new Map([[path, places.map(([line, word]): WordPlace => ({ path, line, word }))]])
const pathsFor = (...given: Parameters<typeof candidatesFor>) => candidatesFor(...given).map(({ path }) => path)

describe("a new function", () => {
  it("is not looked for by fewer than three words", () => {
    expect(soughtBy(copyOf(["open", "alphas", "bravos", "x"]))).toBeNull()
    expect(soughtBy(copyOf(["open", "alphas", "bravos", "deltas"]))?.words).toEqual(["alphas", "bravos", "deltas"])
  })

  it("must have left as many words in its original as names that may differ leave there", () => {
    // One of four names may differ, and two of eight; at least half of the words are always asked for.
    expect(sought(letters.slice(0, 4)).enough).toBe(3)
    expect(sought(letters).enough).toBe(4)
    expect(sought([...letters, "a", "b", "c", "d", "e", "f", "g", "h"]).enough).toBe(3)
    // A text that differs takes all its words along.
    expect(sought(["alphas bravos", "deltas", "echoes", "x"]).enough).toBe(2)
  })
})

describe("a file may contain the original", () => {
  const four = letters.slice(0, 4)
  it("where the words are as near to each other as in a function", () => {
    const near = four.map((word, at) => [100 + 4 * at, word] as const)
    expect(pathsFor(sought(four), verified("src/a.py", near))).toEqual(["src/a.py"])
    const far = four.map((word, at) => [100 + 90 * at, word] as const)
    expect(pathsFor(sought(four), verified("src/a.py", far))).toEqual([])
    expect(pathsFor(sought(four, 200), verified("src/a.py", far))).toEqual(["src/a.py"])
  })

  it("where the words differ, not where one is repeated", () =>
    expect(
      pathsFor(
        sought(four),
        verified(
          "src/a.py",
          [1, 2, 3, 4].map((line) => [line, "alphas"])
        )
      )
    ).toEqual([]))

  it("in the copy's language, and not in its variant for another platform", () => {
    const near = four.map((word, at) => [at + 1, word] as const)
    expect(pathsFor(sought(four), verified("src/a.rb", near))).toEqual([])
    expect(pathsFor(sought(four), verified("src/copy_windows.py", near))).toEqual([])
    expect(pathsFor(sought(four), verified("src/copy.py", near))).toEqual(["src/copy.py"])
  })

  it("files with more of the words together are read first, at most eight", () => {
    const files = new Map(
      Array.from({ length: 12 }, (_, at) => {
        const words = at === 11 ? four : four.slice(1)
        return [`src/f${at}.py`, words.map((word, row): WordPlace => ({ path: `src/f${at}.py`, line: row + 1, word }))]
      })
    )
    const read = pathsFor(sought(four), files)
    expect(read.length).toBe(8)
    expect(read[0]).toBe("src/f11.py")
  })

  it("only where its text has the names that may not differ", () => {
    const given = sought(["alphas", "bravos", "charlies", "deltas", "%s and\n%s"])
    const says = (text: string) =>
      hasEnoughNames(
        { sought: given, path: "src/a.py", count: 4, stretches: [{ first: 2, last: 3 }] },
        text.split("\n")
      )
    expect(says("x\nalphas bravos\ncharlies\ndeltas")).toBe(true)
    expect(says("deltas\nalphas bravos\nx\ncharlies")).toBe(false)
  })
})

const Places = Schema.Array(Schema.Tuple([Schema.Literals([0, 1, 2, 3, 4, 5]), Schema.Literals([1, 3, 9, 20, 41])]))
it.prop("every run of lines with enough of the words lies in a stretch that is read", Places, (steps) => {
  const given = sought(letters)
  let line = 0
  const places = steps.map(([which, step]): WordPlace => {
    line += step
    return { path: "src/a.py", line, word: letters[which] ?? "" }
  })
  const span = 2 * (given.copy.endLine - given.copy.line) + 20
  const stretches = candidatesFor(given, new Map([["src/a.py", places]])).flatMap((each) => each.stretches)
  for (let first = 1; first <= line; first++) {
    const run = { first, last: first + span }
    if (hasEnough(given, places, run)) {
      expect(stretches.some((each) => each.first <= run.first && each.last >= run.last)).toBe(true)
    }
  }
})
