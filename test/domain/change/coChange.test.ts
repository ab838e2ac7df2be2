import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { coChanges } from "../../../src/domain/change/coChange.ts"
import { it } from "../../support/effect.ts"

const always = () => true
const times = (count: number, ...files: ReadonlyArray<string>) => Array.from({ length: count }, () => files)

describe("coChanges", () => {
  it("names the files that came with a changed file in at least half of its commits, strongest first", () => {
    const commits = [...times(4, "a", "b"), ...times(3, "a", "b", "c"), ...times(1, "a"), ...times(9, "d")]
    expect(coChanges(commits, ["a"], always)).toEqual([{ path: "a", other: "b", together: 7, commits: 8 }])
    expect(coChanges(commits.slice(0, 7), ["a"], always).map(({ other }) => other)).toEqual(["b"])
    expect(coChanges(times(3, "a", "b", "c"), ["a"], always).map(({ other }) => other)).toEqual(["b", "c"])
  })

  it("leaves out what the change touches too, and what is not there any more", () => {
    expect(coChanges(times(5, "a", "b", "gone"), ["a", "b"], (path) => path !== "gone")).toEqual([])
  })

  it("learns nothing from twice, nor from a commit that touches everything", () => {
    expect(coChanges(times(2, "a", "b"), ["a"], always)).toEqual([])
    const everything = ["a", "b", ...Array.from({ length: 40 }, (_, i) => `f${i}`)]
    expect(coChanges(times(9, ...everything), ["a"], always)).toEqual([])
  })

  const path = Schema.Literals(["a", "b", "c", "d"])
  it.prop(
    "never counts more together than alone, and does not depend on the order of commits",
    Schema.Array(Schema.Array(path)),
    (commits) => {
      const found = coChanges(commits, ["a", "b"], always)
      for (const { other, together, commits: alone } of found) {
        expect(together).toBeLessThanOrEqual(alone * commits.length)
        expect(["c", "d"]).toContain(other)
      }
      expect(coChanges(commits.toReversed(), ["a", "b"], always)).toEqual(found)
    }
  )
})
