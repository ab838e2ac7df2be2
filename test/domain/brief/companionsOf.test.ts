import { describe, expect, it } from "bun:test"
import { candidatesOf, companionsOf } from "../../../src/domain/brief/companionsOf.ts"
import type { PastCommit } from "../../../src/domain/change/PastCommit.ts"
import { pastCommit } from "../../support/builders.ts"

/** Newest first. */
const times = (count: number, ...paths: ReadonlyArray<string>): ReadonlyArray<PastCommit> =>
  Array.from({ length: count }, (_, at) => pastCommit(`${paths.join("+")} ${at}`, ...paths))

const always = () => true

const files = (commits: ReadonlyArray<PastCommit>, changed: ReadonlyArray<string>, isThere = always) =>
  companionsOf(commits, changed, isThere).map(({ file }) => file)

const added = (commit: PastCommit, path: string): PastCommit => ({
  ...commit,
  files: [...commit.files, { status: "A", path, oldPath: null }]
})

describe("companionsOf", () => {
  it("names a file that most commits to a changed file touched, with the figures", () => {
    const commits = [...times(7, "a", "b"), ...times(1, "a")]
    expect(companionsOf(commits, ["a"], always)).toEqual([
      { file: "b", with: "a", together: 7, commits: 8, latest: "a+b 0" }
    ])
  })

  it("names none that changed too rarely with them, changes itself, or is gone", () => {
    expect(files(times(2, "a", "b"), ["a"])).toEqual([])
    expect(files([...times(3, "a", "b"), ...times(5, "a")], ["a"])).toEqual([])
    expect(files(times(9, "a", "b"), ["a", "b"])).toEqual([])
    expect(companionsOf(times(9, "a", "b"), ["a"], (path) => path !== "b")).toEqual([])
  })

  it("counts commits that are similar to the change more", () => {
    const commits = [...times(6, "a", "b"), ...times(6, "a", "c", "d", "e")]
    expect(files(commits, ["a"])).toEqual([])
    expect(files(commits, ["a", "d", "e"])).toEqual(["c"])
  })

  it("counts recent commits more", () => {
    const unrelated = times(1500, "z")
    const [old, recent] = [times(6, "a", "b"), times(6, "a", "c")]
    const scoreOf = (commits: ReadonlyArray<PastCommit>, file: string) =>
      candidatesOf(commits, ["a"], always).find((each) => each.file === file)?.score ?? 0
    const commits = [...recent, ...times(1, "a", "b", "c"), ...unrelated, ...old]
    expect(scoreOf(commits, "c")).toBeGreaterThan(scoreOf(commits, "b"))
  })

  it("leaves out commits with many files", () => {
    const everything = Array.from({ length: 31 }, (_, at) => `f${at}`)
    expect(files(times(9, ...everything), ["f0"])).toEqual([])
  })

  it("names nothing if many files are likely", () => {
    expect(files(times(9, "a", "b", "c", "d"), ["a"])).toEqual(["b", "c", "d"])
    expect(files(times(9, "a", "b", "c", "d", "e"), ["a"])).toEqual([])
  })

  it("follows renames of both files", () => {
    const renamed: PastCommit = {
      ...pastCommit("rename"),
      files: [
        { status: "R", path: "new/a", oldPath: "a" },
        { status: "R", path: "new/b", oldPath: "b" }
      ]
    }
    const again: PastCommit = { ...pastCommit("again"), files: [{ status: "R", path: "newest/b", oldPath: "new/b" }] }
    expect(companionsOf([again, renamed, ...times(5, "a", "b")], ["new/a"], always)).toEqual([
      { file: "newest/b", with: "new/a", together: 6, commits: 6, latest: "rename" }
    ])
  })

  it("names a folder to which a file is added each time", () => {
    const commits = [...times(4, "schema.prisma")].map((commit, at) => added(commit, `migrations/${at}.sql`))
    expect(files(commits, ["schema.prisma"])).toEqual(["migrations/"])
    expect(files(commits, ["schema.prisma", "migrations/9.sql"])).toEqual([])
    const beside = [...times(4, "src/a.ts")].map((commit, at) => added(commit, `src/b${at}.ts`))
    expect(files(beside, ["src/a.ts"])).toEqual([])
  })

  it("names a lock file only with its manifest, and no vendored file", () => {
    const commits = times(5, "go.mod", "go.sum", "vendor/a.go", "main.go")
    expect(files(commits, ["main.go"])).toEqual(["go.mod"])
    expect(files(commits, ["main.go", "go.mod"])).toEqual(["go.sum"])
  })

  it("names no code for a changed test", () => {
    const commits = times(5, "cart.ts", "cart.test.ts")
    expect(files(commits, ["cart.test.ts"])).toEqual([])
    expect(files(commits, ["cart.ts"])).toEqual(["cart.test.ts"])
  })

  it("does not depend on the order of the changed files", () => {
    const commits = [...times(5, "a", "b", "c"), ...times(4, "b", "d"), ...times(3, "a")]
    expect(companionsOf(commits, ["b", "a"], always)).toEqual(companionsOf(commits, ["a", "b"], always))
  })
})
