import { describe, expect, test } from "bun:test"
import { type ModelReading, modelCoverage } from "../../../src/domain/agent/modelCoverage.ts"
import { type FileCoverage, withoutRules } from "../../../src/domain/change/Coverage.ts"
import { allLines } from "../../../src/domain/change/SeenLines.ts"
import { change } from "../../support/builders.ts"

const { files } = change({ "a.py": ["x = 1"], "b.py": ["y = 1"] }).diff
const word = (path: string, status: FileCoverage["status"], reason = ""): FileCoverage => ({ path, status, reason })
const sayingOf = (...words: ReadonlyArray<FileCoverage>): ModelReading => ({
  seen: allLines(files),
  reported: new Map(words.map((each) => [each.path, each]))
})
const bothReviewed = sayingOf(word("a.py", "reviewed"), word("b.py", "reviewed"))

describe("a file of a model's review", () => {
  test("is unread where the model reports that it did not read it, with its reason", () => {
    const said = sayingOf(word("a.py", "unread", "too long"), word("b.py", "unread"))
    expect(modelCoverage(files, said, [])).toEqual([
      word("a.py", "unread", "too long"),
      word("b.py", "unread", "not read by its reviewer")
    ])
  })

  test("that git does not show completely is unread, whatever the model reports", () => {
    const cut = files.map((file) => ({ ...file, unread: "git could not read it" }))
    expect(modelCoverage(cut, bothReviewed, []).map(({ reason, status }) => `${status}: ${reason}`)).toEqual([
      "unread: git could not read it",
      "unread: git could not read it"
    ])
  })

  test("is skipped where the rules skip it, whatever the model reports", () => {
    const skipped = word("a.py", "skipped", "generated")
    expect(modelCoverage(files, bothReviewed, [skipped])).toEqual([skipped, word("b.py", "reviewed")])
  })

  test("counts as reviewed in a language without rules", () => {
    expect(modelCoverage(files, bothReviewed, [{ path: "a.py", ...withoutRules("Kotlin") }])).toEqual([
      word("a.py", "reviewed"),
      word("b.py", "reviewed")
    ])
  })
})
