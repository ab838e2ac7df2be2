import { describe, expect, it } from "bun:test"
import { historyFrom, type PastCommit, touching } from "../../../src/domain/change/PastCommit.ts"
import { pastCommit } from "../../support/builders.ts"

const commit = (sha: string, time: number, ...parents: ReadonlyArray<string>): [string, PastCommit] => [
  sha,
  { ...pastCommit(sha), time, parents }
]

const limits = { commits: 10, seconds: 1000 }

const names = (known: ReadonlyMap<string, PastCommit>, sha: string, some = limits) => {
  const { commits, isComplete } = historyFrom(known, sha, some)
  return `${commits.map((each) => each.sha).join(" ")}${isComplete ? "" : " ..."}`
}

describe("historyFrom", () => {
  const known = new Map([
    commit("merge", 50, "left", "right"),
    commit("left", 40, "root"),
    commit("right", 45, "side"),
    commit("side", 20, "root"),
    commit("root", 10),
    commit("other", 99, "merge", "unknown")
  ])

  it("lists ancestors, newest first", () => {
    expect(names(known, "merge")).toBe("merge right left side root")
    expect(names(known, "left")).toBe("left root")
  })

  it("lists commits of the same time in the order in which they are found", () => {
    const same = new Map([commit("a", 5, "b", "c"), commit("b", 5, "d"), commit("c", 5, "d"), commit("d", 5)])
    expect(names(same, "a")).toBe("a b c d")
  })

  it("reports a commit that is not known", () => {
    expect(names(known, "other")).toBe("other merge right left side root ...")
    expect(names(known, "absent")).toBe(" ...")
  })

  it("ends at the limits", () => {
    expect(names(known, "other", { ...limits, commits: 3 })).toBe("other merge right")
    expect(names(known, "merge", { ...limits, seconds: 20 })).toBe("merge right left")
  })
})

describe("touching", () => {
  it("finds commits to a file under its present and earlier names, newest first", () => {
    const rename: PastCommit = {
      ...pastCommit("rename", "other"),
      files: [{ status: "R", path: "new", oldPath: "old" }]
    }
    const again: PastCommit = { ...pastCommit("again"), files: [{ status: "R", path: "newest", oldPath: "new" }] }
    const history = [pastCommit("a", "newest"), again, pastCommit("merge"), rename, pastCommit("b", "old", "other")]
    const found = touching(history, ["newest"])
    expect(found.map(({ age, commit, names }) => [commit.sha, age, ...names])).toEqual([
      ["a", 0, "newest"],
      ["again", 1, "newest"],
      ["rename", 2, "newest"],
      ["b", 3, "newest", "other"]
    ])
    expect(touching(history, ["newest"])).toBe(found)
    expect(touching(history, ["old"])).toEqual([])
  })

  it("does not take a deleted file for a later one of the same name", () => {
    const added: PastCommit = { ...pastCommit("add"), files: [{ status: "A", path: "a", oldPath: null }] }
    const history = [pastCommit("a", "a"), added, pastCommit("b", "a", "b")]
    expect(touching(history, ["a"]).map(({ commit }) => commit.sha)).toEqual(["a", "add"])
    expect(touching(history, ["b"]).map(({ names }) => names)).toEqual([["", "b"]])
  })
})
