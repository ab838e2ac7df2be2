import { describe, expect } from "bun:test"
import { Option } from "effect"
import {
  decodeFindingsFile,
  findingsFileOf,
  numberedIn,
  suppressedIn
} from "../../../src/domain/review/FindingsFile.ts"
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

  it("keep what was suppressed whole, with its number; those of an older dd are read without a number", () => {
    const read = (file: object) => Option.getOrThrow(decodeFindingsFile(JSON.stringify({ ...written, ...file })))
    const [hidden] = written.suppressed
    expect(suppressedIn(read({}))).toEqual(suppressedIn(written))
    expect(hidden).toMatchObject({
      id: 8,
      fingerprint: "dd1:8888888888888888",
      reason: "billing/report.py:8: the report is printed on purpose"
    })
    expect(numberedIn(read({})).map(({ id }) => id)).toEqual([stored!.id, 8])
    const { end_line, file, line, reason, rule, severity, stack, title } = hidden!
    const old = { end_line, file, line, reason, rule, severity, stack, title }
    expect(read({ suppressed: [old] }).suppressed).toEqual([old])
    expect(suppressedIn(read({ suppressed: [old] }))).toEqual([])
  })
})
