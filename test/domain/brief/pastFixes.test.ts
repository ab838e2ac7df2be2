import { describe, expect, it } from "bun:test"
import { Result } from "effect"
import {
  broughtBack,
  type FixedFile,
  isFix,
  issueOf,
  keysOf,
  oftenFixed,
  removedFixes
} from "../../../src/domain/brief/pastFixes.ts"
import { lineKey, pastEdits } from "../../../src/domain/change/PastEdit.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { pastCommit } from "../../support/builders.ts"

const lines = (text: string): ReadonlyArray<string> => text.split("\n")

const diffOf = (path: string, ...hunk: ReadonlyArray<string>) => {
  const count = (sign: string) => hunk.filter((line) => !line.startsWith(sign)).length
  const header = `@@ -1,${count("+")} +1,${count("-")} @@`
  const text = [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, header, ...hunk, ""].join("\n")
  return Result.getOrThrow(parseDiff(new TextEncoder().encode(text)))
}

const guard = ["  if (order.customer === null) {", "    throw new MissingCustomer(order)", "  }"]
const fix = diffOf(
  "cart.ts",
  " function pay(order) {",
  ...guard.map((line) => `+${line}`),
  "-  chargeNow(order.customer)"
)
const commit = { ...pastCommit("fix", "cart.ts"), subject: "Fix crash on orders without a customer (#12)" }

const fixedFile = (base: string, head: string, ...hunk: ReadonlyArray<string>): FixedFile => {
  const [file] = diffOf("cart.ts", ...hunk).files
  const [edit] = pastEdits(fix)
  return { file: file!, fixes: [{ commit, edit: edit! }], base: lines(base), head: lines(head) }
}

const none: ReadonlySet<number> = new Set()

describe("isFix", () => {
  it("recognizes fixes and reverts by their subject", () => {
    const subjects = [
      "Fix crash on empty orders",
      "fix(cart): total of no items",
      "[api] fix rounding",
      'Revert "Use the new pool"',
      "Prevent a deadlock of two writers",
      "cart: fixes total (#3)",
      "bugfix: total",
      "Address CVE-2024-12345"
    ]
    expect(subjects.filter((subject) => !isFix({ subject }))).toEqual([])
  })

  it("leaves out fixes of other things than the program", () => {
    const subjects = [
      "Fix typo",
      "fix: flaky test",
      "Fix lint",
      "docs: fix link",
      "Add a fixture",
      "Prefix names",
      "Bump a"
    ]
    expect(subjects.filter((subject) => isFix({ subject }))).toEqual([])
  })

  it("names the issue", () => {
    expect(issueOf("Fix crash (#12) (#13)")).toBe("#13")
    expect(issueOf("Address CVE-2024-12345 (#1)")).toBe("CVE-2024-12345")
    expect(issueOf("gh-12: fix")).toBe(null)
    expect(issueOf("GH-12: fix")).toBe("GH-12")
    expect(issueOf("Fix crash")).toBe(null)
  })
})

describe("lineKey", () => {
  it("is equal for lines that differ in white space, and null for lines without content of their own", () => {
    expect(lineKey("\tif  (order.paid) {")).toBe(lineKey("if (order.paid) {  "))
    expect(["}", "  // a long comment", "import a from 'abcdef'", "", "else"].map(lineKey)).toEqual([
      null,
      null,
      null,
      null,
      null
    ])
  })
})

describe("removedFixes", () => {
  const base = ["function pay(order) {", ...guard, "  charge(order)"].join("\n")
  const deletes = [" function pay(order) {", ...guard.map((line) => `-${line}`), "   charge(order)"]

  it("names the fix whose lines the change deletes", () => {
    const fixed = fixedFile(base, "function pay(order) {\n  charge(order)", ...deletes)
    expect(removedFixes(fixed, none)).toEqual([
      {
        kind: "fix-removed",
        file: "cart.ts",
        line: 2,
        end: 3,
        base: true,
        commit: "fix",
        subject: commit.subject,
        date: commit.date,
        issue: "#12",
        lines: 2,
        of: 2
      }
    ])
  })

  it("is silent about lines that are elsewhere now, and about few of many", () => {
    expect(removedFixes(fixedFile(base, base, ...deletes), none)).toEqual([])
    expect(removedFixes(fixedFile(base, "", ...deletes), keysOf(guard))).toEqual([])
    const [known] = fixedFile(base, "", ...deletes).fixes
    const many = { ...known!.edit, added: [...known!.edit.added, ...Array.from({ length: 9 }, (_, at) => at)] }
    const fixed = { ...fixedFile(base, "", ...deletes), fixes: [{ commit, edit: many }] }
    expect(removedFixes(fixed, none)).toEqual([])
  })
})

describe("broughtBack", () => {
  it("names the fix that deleted the lines which the change adds", () => {
    const again = [" function pay(order) {", "+  chargeNow(order.customer)"]
    const short = fixedFile("", "", ...again)
    expect(broughtBack(short, none)).toEqual([])
    const long = "  chargeNow(order.customer.account, order.total)"
    const [edit] = pastEdits(diffOf("cart.ts", `-${long}`))
    const fixed = { ...fixedFile("", "", " function pay(order) {", `+${long}`), fixes: [{ commit, edit: edit! }] }
    expect(broughtBack(fixed, none)).toMatchObject([{ kind: "brought-back", line: 2, base: false, lines: 1, of: 1 }])
    expect(broughtBack(fixed, keysOf([long]))).toEqual([])
    expect(broughtBack({ ...fixed, base: [long] }, none)).toEqual([])
  })
})

describe("oftenFixed", () => {
  const fixed = fixedFile("", "", "+a")
  const fixesOf = (...days: ReadonlyArray<number>) =>
    days.map((day) => ({ commit: { ...commit, time: day * 86_400 }, edit: fixed.fixes[0]!.edit }))

  it("counts the fixes of the last 90 days", () => {
    const now = 1000 * 86_400
    expect(oftenFixed({ ...fixed, fixes: fixesOf(999, 990, 950, 920, 100) }, now)).toMatchObject([
      { kind: "often-fixed", file: "cart.ts", line: 0, lines: 4 }
    ])
    expect(oftenFixed({ ...fixed, fixes: fixesOf(999, 990, 950, 900, 100) }, now)).toEqual([])
  })
})
