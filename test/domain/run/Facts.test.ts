import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { changeFacts, recordFacts } from "../../../src/domain/run/Facts.ts"
import { change, record } from "../../support/builders.ts"

const diff = (...lines: ReadonlyArray<string>) =>
  Result.getOrThrow(parseDiff(new TextEncoder().encode(`${lines.join("\n")}\n`)))

describe("the facts that an extension gets", () => {
  test("number added lines as after the change and deleted ones as before it", () => {
    const { files } = changeFacts({
      ...change(),
      diff: diff(
        "diff --git a/a.py b/a.py",
        "index 1111111..2222222 100644",
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -10,3 +20,3 @@",
        " one",
        "-two",
        "+TWO",
        " three"
      )
    })
    expect(files).toEqual([
      {
        path: "a.py",
        old_path: null,
        status: "modified",
        binary: false,
        added: [{ line: 21, text: "TWO" }],
        deleted: [{ line: 11, text: "two" }]
      }
    ])
  })

  test("name the old path of a renamed file, and of no other", () => {
    const { files } = changeFacts({
      ...change(),
      diff: diff("diff --git a/a.py b/b.py", "similarity index 100%", "rename from a.py", "rename to b.py")
    })
    expect(files).toMatchObject([{ path: "b.py", old_path: "a.py", status: "renamed", added: [] }])
    expect(changeFacts(change()).files).toMatchObject([{ path: "src/a.py", old_path: null, status: "added" }])
  })

  test("are plain JSON", () => {
    const facts = { ...changeFacts(change()), findings: [recordFacts(record({ endLine: 4 }), "python")] }
    expect(JSON.parse(JSON.stringify(facts))).toEqual(facts)
    expect(facts.change).toEqual({
      description: "a test change",
      base: "unknown",
      head: "unknown",
      branch: null,
      commits: []
    })
  })

  test("have the names of the JSON report, and null for what is absent", () => {
    expect(recordFacts(record(), "python")).toMatchObject({
      id: null,
      rule: null,
      title: null,
      end_line: 2,
      stack: "python"
    })
    expect(recordFacts(record({ rule: "py/leak", endLine: 4 }), "python")).toMatchObject({
      rule: "py/leak",
      end_line: 4
    })
  })
})
