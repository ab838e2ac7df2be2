import { describe, expect, it } from "bun:test"
import { readingDiffText } from "../../../src/cli/brief/ReadingDiffText.ts"
import { emptyBrief } from "../../support/briefs.ts"
import { changeOf } from "../../support/change.ts"

const plain = { lines: (lines: ReadonlyArray<string>) => lines }

const { diff } = changeOf({
  "a.py": ["x = 1\n", "x = 2\n"],
  "b.py": ["y = [1,2]\n", "y = [1, 2]\n"]
})

describe("the diff in reading order", () => {
  it("begins with what to read first, and folds lines that are only form", () => {
    const form = {
      ...emptyBrief.form,
      hunks: [
        {
          form: "reformatted" as const,
          file: "b.py",
          line: 1,
          added: 1,
          base: 1,
          deleted: 1,
          from: null,
          to: null,
          differs: []
        }
      ],
      order: [{ file: "a.py", line: 1, reason: "a change" }]
    }
    expect(readingDiffText(diff, form, plain, false)).toEqual([
      "a.py",
      "@@ -1,1 +1,1 @@",
      "-x = 1",
      "+x = 2",
      "",
      "b.py",
      "  … 1 added line and 1 deleted line: reformatted"
    ])
  })

  it("has no control characters and no secrets", () => {
    const hostile = changeOf({ "a.py": ["", 'k = "\x1b]0;title\x07 s3cret"\n'] }).diff
    const masked = { lines: (lines: ReadonlyArray<string>) => lines.map((line) => line.replace("s3cret", "***")) }
    const text = readingDiffText(hostile, emptyBrief.form, masked, false).join("\n")
    expect(text).not.toContain("\x1b")
    expect(text).toContain("***")
    expect(text).not.toContain("s3cret")
  })
})
