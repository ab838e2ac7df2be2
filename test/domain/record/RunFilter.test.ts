import { describe, expect, test } from "bun:test"
import { DateTime, Result } from "effect"
import { repoSlug } from "../../../src/domain/change/remote/repoSlug.ts"
import { parseCost, parseMoment } from "../../../src/domain/record/RunFilter.ts"
import { parseAge, parseSize } from "../../../src/domain/system/amounts.ts"
import { adviceFor, refusalOf } from "../../../src/domain/text/readOnlySql.ts"

const now = DateTime.makeUnsafe("2026-03-10T12:00:00Z")
const said = <A>(result: Result.Result<A, string>) => Result.getOrElse(result, (problem) => problem)

describe("what is typed as a filter", () => {
  test("is an age or a date", () => {
    expect(said(parseMoment("7d", now))).toBe("2026-03-03T12:00:00.000Z")
    expect(said(parseMoment("90m", now))).toBe("2026-03-10T10:30:00.000Z")
    expect(said(parseMoment("2026-01-31", now))).toBe("2026-01-31T00:00:00.000Z")
    expect(said(parseMoment("2026-01-31T12:00:00+02:00", now))).toBe("2026-01-31T10:00:00.000Z")
    for (const wrong of ["", "soon", "7", "2026", "2026-13-01", "-1d"]) {
      expect(Result.isFailure(parseMoment(wrong, now))).toBe(true)
    }
    expect(parseAge("0d")).not.toBe(null)
  })

  test("is a bound on the cost", () => {
    expect(said(parseCost(">0.5"))).toEqual({ operator: ">", usd: 0.5 })
    expect(said(parseCost("<= $2"))).toEqual({ operator: "<=", usd: 2 })
    expect(said(parseCost("0"))).toEqual({ operator: "=", usd: 0 })
    expect(said(parseCost("unknown"))).toBe("unknown")
    for (const wrong of ["", "much", "> -1", "1 OR 1=1"]) expect(Result.isFailure(parseCost(wrong))).toBe(true)
  })

  test("is a size", () => {
    expect([parseSize("500M"), parseSize("2GiB"), parseSize("0"), parseSize("1.5k")]).toEqual([
      524288000, 2147483648, 0, 1536
    ])
    expect([parseSize("big"), parseSize("-1"), parseSize("500")]).toEqual([null, null, null])
  })
})

describe("the name of a repository", () => {
  for (const [url, slug] of [
    ["git@github.com:acme/shop.git", "acme/shop"],
    ["ssh://git@host:2222/acme/shop", "acme/shop"],
    ["https://user:pass@host/acme/shop.git/", "acme/shop"],
    ["https://gitlab.com/group/sub/project.git", "group/sub/project"],
    ["git@gitlab.com:group/sub/project.git", "group/sub/project"],
    ["https://host/acme/shop.git?private_token=abc", "acme/shop"],
    ["https://host/acme/shop/#readme", "acme/shop"],
    ["https://host/shop", null],
    ["/srv/git/shop.git", null],
    ["../shop", null],
    ["file:///srv/git/shop.git", null],
    ["C:\\repos\\shop", null],
    ["", null]
  ] as const) {
    test(`of ${url || "nothing"} is ${slug ?? "not known"}`, () => expect(repoSlug(url)).toBe(slug))
  }
})

describe("a statement that only reads", () => {
  test("begins so, and is alone", () => {
    for (const sql of [
      "select 1",
      " -- why\n/* and */ SELECT ';' ; ",
      "with a as (values (1)) select * from a",
      'select "a;b" from [c;d]'
    ]) {
      expect(refusalOf(sql)).toBe(null)
    }
    for (const sql of [
      "",
      "-- nothing",
      "delete from runs",
      "pragma x",
      "select 1; select 2",
      "/* select */ drop table x"
    ]) {
      expect(refusalOf(sql)).not.toBe(null)
    }
  })
  test("is answered with what is there, if it does not fit the index", () => {
    expect(adviceFor("incomplete input")).toContain("select session_id")
    expect(adviceFor("no such table: run")).toContain("runs, label_observations and finding_labels")
    expect(adviceFor("no such column: cost")).toContain("select * from runs limit 1")
    expect(adviceFor("database is locked")).toBe("")
  })
})
