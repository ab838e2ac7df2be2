import { describe, expect, it } from "bun:test"
import { parts } from "../../../src/domain/brief/Brief.ts"
import { expectedParts } from "../../../src/domain/brief/expectedParts.ts"
import { change } from "../../support/builders.ts"

const commit = { _tag: "Commit", sha: "a".repeat(40) } as const
const absent = (base: Parameters<typeof expectedParts>[0]["base"], head: Parameters<typeof expectedParts>[0]["head"]) =>
  expectedParts({ ...change({}), base, head }).flatMap(({ missing, part }) => (missing === null ? [] : [part]))

describe("the parts of a brief that a preview announces", () => {
  it("are all of them between two commits", () => {
    expect(absent(commit, commit)).toEqual([])
  })

  it("do not include history for a first commit", () => {
    expect(absent({ _tag: "Empty" }, commit)).toEqual(["companions", "history", "people"])
  })

  it("are form and size for a patch without a repository", () => {
    const missing = absent({ _tag: "Unknown" }, { _tag: "Unknown" })
    expect(parts.filter((part) => !missing.includes(part))).toEqual(["form", "size"])
  })
})
