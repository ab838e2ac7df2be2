import { describe, expect, it } from "bun:test"
import { peopleAmong } from "../../../src/domain/brief/peopleAmong.ts"
import type { PastCommit } from "../../../src/domain/change/PastCommit.ts"
import { pastCommit } from "../../support/builders.ts"

const day = 86_400

const by = (author: string, daysAgo: number, ...paths: ReadonlyArray<string>): PastCommit => {
  const commit = pastCommit(`${author} ${daysAgo}`, ...paths)
  return { ...commit, author, time: commit.time - daysAgo * day }
}

const history = [
  by("dependabot[bot]", 0, "a.ts"),
  by("Ada Lovelace", 1, "a.ts"),
  by("Grace", 2, "b.ts"),
  by("Grace", 3, "a.ts"),
  by("Alan", 800, "a.ts"),
  by("Alan", 801, "a.ts"),
  by("Alan", 802, "a.ts"),
  by("Edsger", 900, "a.ts"),
  by("Barbara", 4, ...Array.from({ length: 31 }, (_, at) => `f${at}`), "a.ts")
]

const names = (changed: ReadonlyArray<string>, owners: string | null = null) =>
  peopleAmong(history, changed, owners).map(({ name, owner }) => `${name}${owner ? " (owner)" : ""}`)

describe("peopleAmong", () => {
  it("ranks people by their commits to the changed files, recent ones first", () => {
    expect(names(["a.ts"])).toEqual(["Ada Lovelace", "Grace", "Alan"])
    expect(names(["b.ts"])).toEqual(["Grace"])
    expect(names(["c.ts"])).toEqual([])
    expect(peopleAmong(history, ["a.ts", "b.ts"], null)[0]).toEqual({
      name: "Grace",
      commits: 2,
      latest: "2026-01-02",
      owner: false
    })
  })

  it("names the owner of most files", () => {
    const owners = "# owners\n* @all\n*.ts @shop/cart @ada-lovelace # both\n/docs/ @docs\n"
    expect(names(["a.ts"], owners)).toEqual(["Ada Lovelace (owner)", "Grace", "Alan"])
    expect(names(["a.ts"], "* @shop/cart")).toEqual(["Ada Lovelace", "Grace", "@shop/cart (owner)"])
    expect(names(["a.ts"], "*.go @go\n!x @y\n")).toEqual(["Ada Lovelace", "Grace", "Alan"])
    expect(names(["a.ts"], "* @all\na.ts\n")).toEqual(["Ada Lovelace", "Grace", "Alan"])
  })
})
