import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { conventionIndex, conventionsFor } from "../../../src/domain/night/conventionsFor.ts"
import type { LearnedConvention } from "../../../src/domain/night/Generation.ts"
import { it } from "../../support/effect.ts"
import { conventionOf } from "../../support/night/labelled.ts"

const rules = (found: ReadonlyArray<LearnedConvention>) => found.map(({ rule }) => rule)

describe("conventionsFor", () => {
  it("finds those of the folders of the files, deepest first", () => {
    const conventions = [conventionOf("all"), conventionOf("api", "src/api/"), conventionOf("src", "src/")]
    expect(rules(conventionsFor(["src/api/users.ts"], conventions))).toEqual(["api", "src", "all"])
    expect(rules(conventionsFor(["src/app.ts", "docs/a.md"], conventions))).toEqual(["src", "all"])
    expect(rules(conventionsFor(["src/apis.ts"], conventions))).toEqual(["src", "all"])
    expect(conventionsFor([], conventions)).toEqual([])
  })

  it("prefers mature ones, then those with more evidence, and never finds contested ones", () => {
    const conventions = [
      conventionOf("contested", "", { maturity: "contested" }),
      conventionOf("candidate", "", { maturity: "candidate", accepted: 50 }),
      conventionOf("disputed", "", { accepted: 9, rejected: 8 }),
      conventionOf("plain", "", { accepted: 4 }),
      conventionOf("established", "", { maturity: "established", accepted: 1 })
    ]
    expect(rules(conventionsFor(["a.ts"], conventions))).toEqual(["established", "plain", "disputed", "candidate"])
    expect(rules(conventionsFor(["a.ts"], conventions, 2))).toEqual(["established", "plain"])
  })

  const Folder = Schema.Literals(["", "a/", "a/b/", "a/b/c/", "b/"])
  const World = Schema.Struct({
    conventions: Schema.Array(
      Schema.Struct({
        folder: Folder,
        maturity: Schema.Literals(["candidate", "provisional", "established", "contested"]),
        accepted: Schema.Literals([3, 4])
      })
    ).check(Schema.isMaxLength(8)),
    files: Schema.Array(Schema.Literals(["x", "a/x", "a/bb", "a/b/x", "a/b/c/x", "b/x", "c/x"]))
  })

  it.prop("finds every fitting one if there is room, in an order that does not depend on theirs", World, (given) => {
    const conventions = given.conventions.map((each, at) => conventionOf(`r${at}`, each.folder, each))
    const found = conventionsFor(given.files, conventions, 100)
    const fitting = conventions.filter(
      ({ folder, maturity }) => maturity !== "contested" && given.files.some((file) => file.startsWith(folder))
    )
    expect(new Set(found)).toEqual(new Set(fitting))
    expect(conventionsFor(given.files.toReversed(), conventions.toReversed(), 100)).toEqual([...found])
    expect(conventionIndex(conventions)(given.files, 2)).toEqual(found.slice(0, 2))
  })
})
