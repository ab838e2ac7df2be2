import { describe, expect } from "bun:test"
import { Option } from "effect"
import { decodeFindingsFile, findingsFileOf } from "../../../src/domain/review/FindingsFile.ts"
import { it } from "../../support/effect.ts"
import { finding } from "../../support/finding.ts"
import { sampleResult } from "../../support/sampleReview.ts"

const marked = finding({
  column: 5,
  endColumn: 9,
  label: "created once",
  related: [{ file: "b.py", line: 7, column: 1, endColumn: 4, message: "called here" }]
})
const written = findingsFileOf({ ...sampleResult, findings: [marked] })
const [stored] = written.findings

describe("the findings of an archived run", () => {
  it("keep columns, label and related places", () => {
    expect(Option.getOrThrow(decodeFindingsFile(JSON.stringify(written))).findings).toEqual([stored!])
    expect(stored).toMatchObject({
      column: 5,
      end_column: 9,
      label: "created once",
      related: [{ file: "b.py", line: 7, column: 1, end_column: 4, message: "called here" }]
    })
  })

  it("are read from a file of an older dd, which has none of them", () => {
    const { column, end_column, label, related, ...old } = stored!
    const read = Option.getOrThrow(decodeFindingsFile(JSON.stringify({ ...written, findings: [old] })))
    expect(read.findings).toEqual([{ ...old, column: null, end_column: null, label: null, related: [] }])
  })
})
