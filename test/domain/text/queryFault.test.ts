import { describe, expect, test } from "bun:test"
import { queryFault } from "../../../src/domain/text/queryFault.ts"

describe("a query in a rule file", () => {
  test("may name nodes, fields, captures, texts and alternatives", () => {
    for (const query of [
      "(call) @claim",
      '(call function: (identifier) @name (#eq? @name "eval")) @claim',
      '[(call "(" @open) (attribute)] @claim',
      '((identifier) @claim (#any-of? @claim "a*" "b?"))',
      "; a * comment\n(call . (identifier)) @claim"
    ]) {
      expect(queryFault(query)).toBe(null)
    }
  })

  test("contains nothing that runs without bound; the error names an alternative", () => {
    expect(queryFault("(call (argument_list (_)*) ) @claim")).toContain("quantifiers")
    expect(queryFault("((_ ((_)? (_)?)* )*)+ @claim")).toContain("quantifiers")
    expect(queryFault('((identifier) @claim (#match? @claim "(a+)+$"))')).toContain("[where]")
    expect(queryFault(`${"(_ ".repeat(40)}${")".repeat(40)} @claim`)).toContain("at most 30 nodes")
    expect(queryFault(`(call) @claim ${";".repeat(1_000)}`)).toContain("1000 characters")
  })

  test("reports its claim", () => {
    expect(queryFault("(call) @claimed")).toContain("@claim")
    expect(queryFault('(call "@claim')).toContain("does not end")
    expect(queryFault("  ")).toContain("empty")
  })
})
