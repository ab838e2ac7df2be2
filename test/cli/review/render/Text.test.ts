import { describe, expect } from "bun:test"
import { exitReason } from "../../../../src/cli/review/render/exitReason.ts"
import { Presentable } from "../../../../src/cli/review/render/Presentable.ts"
import type { RenderContext } from "../../../../src/cli/review/render/RenderContext.ts"
import { renderText } from "../../../../src/cli/review/render/Text.ts"
import { columns } from "../../../../src/cli/text/Page.ts"
import type { ReviewResult } from "../../../../src/domain/review/ReviewResult.ts"
import type { FailOn } from "../../../../src/domain/run/ReviewSettings.ts"
import { it } from "../../../support/effect.ts"
import { cleanResult, present, sampleContext, sampleResult, sampleSources } from "../../../support/sampleReview.ts"

const text = (result: ReviewResult, context = sampleContext, sources = sampleSources) =>
  renderText(present(result, sources), context)
const first = (change: Partial<ReviewResult["findings"][number]>): ReviewResult => ({
  ...sampleResult,
  findings: [{ ...sampleResult.findings[0]!, ...change }]
})
const nothingChanged = { filesInDiff: 0, filesReviewed: 0, files: [] }

describe("the text report", () => {
  it("reads like this", () => {
    const reason = exitReason(sampleResult, { exitCode: 0, failOn: "none" })
    expect(text(sampleResult, { ...sampleContext, exitReason: reason })).toMatchSnapshot()
  })

  it("has this text when there is nothing to report", () => {
    expect(text(cleanResult)).toMatchSnapshot()
  })

  it("shows the five that matter most, best first, and reports how to see the others", () => {
    const report = text({ ...sampleResult, findings: [...sampleResult.findings].reverse() })
    expect(report.match(/^(high|medium|low)(?=\[)/gm)).toEqual(["high", "high", "high", "medium", "medium"])
    expect(report).toContain("2 more findings not shown (1 medium, 1 low). Add --all to see them.")
  })

  it("shows every high finding, however few are requested", () => {
    const report = text(sampleResult, { ...sampleContext, shown: 2 })
    expect(report.match(/^(high|medium|low)(?=\[)/gm)).toEqual(["high", "high", "high"])
    expect(report).toContain("4 more findings not shown (3 medium, 1 low). Add --all to see them.")
  })

  it("shows all of them when requested", () => {
    const report = text(sampleResult, { ...sampleContext, all: true })
    expect(report.match(/^(high|medium|low)(?=\[)/gm)).toHaveLength(7)
    expect(report).not.toContain("more finding")
    expect(report).toContain("The export may race with the archiver: the quoted text is not in the file")
  })

  it("shows every path as it is from the current directory", () => {
    const { coverage, dropped, findings, run, suppressed } = sampleResult
    const result: ReviewResult = {
      ...sampleResult,
      run: { ...run, description: `${run.description}, only billing` },
      notes: ["billing/report.py:8: this change itself suppresses meta/debug-print"],
      degraded: [{ step: "arbiter", error: "ArbiterUndecided", detail: "no clear verdict on billing/invoice.py:42" }],
      findings: findings.map((finding) => ({ ...finding, description: "See billing/invoice.py:42 for why." }))
    }
    const here: RenderContext["here"] = {
      path: (path) => `../${path}`,
      description: (text) => text.replace("only billing", "only ../billing"),
      prose: (text) => text.replace(/billing\/\w+\.py:\d/g, "../$&")
    }
    const report = text(result, { ...sampleContext, all: true, here })
    const unread = coverage.files.filter(({ reason, status }) => status !== "reviewed" || reason !== "")
    const claims = [...findings, ...suppressed.map(({ finding }) => finding), ...dropped.map(({ record }) => record)]
    for (const path of new Set([...unread.map((file) => file.path), ...claims.map(({ file }) => file), "billing"])) {
      expect(report).toContain(`../${path}`)
      expect(report.replaceAll(`../${path}`, "")).not.toContain(path)
    }
  })

  it("marks the lines a finding is about, and only them", () => {
    const report = text(first({ line: 42, endLine: 43 }))
    expect(report.match(/^ *\d+ \| [/|] .*$/gm)).toEqual([
      "42 | / def add_lines(order, items=[]):",
      "43 | |     for line in order.lines:"
    ])
  })

  it("shows no code when there is none to be sure of", () => {
    for (const change of [{ line: 0, endLine: 0 }, { line: 47, endLine: 47 }, { file: "gone.py" }])
      expect(text(first(change))).not.toContain(" | ")
  })

  it("shows the text that suppresses a finding without comment signs if the files have different ones", () => {
    const [one] = sampleResult.findings
    const mixed = {
      ...sampleResult,
      findings: [
        { ...one!, file: "a.rb" },
        { ...one!, file: "a.rs" }
      ]
    }
    expect(text(mixed)).toContain(
      "To suppress a finding, write above it as a comment: dd-ignore-next-line RULE: reason\n"
    )
  })

  it("marks each of two passwords on one line", () => {
    const [one] = sampleResult.findings
    const finding = { ...one!, rule: "secret/hardcoded-credential", file: "a.py", line: 1, endLine: 1, label: "known" }
    const review = Presentable.of(
      { ...sampleResult, findings: [finding] },
      new Map([["a.py", ['f("hunter2", "hunter22")']]]),
      (all) => all.replaceAll(/hunter2+/g, "[REDACTED]")
    )
    expect(renderText(review, sampleContext)).toContain(
      '1 | f("[REDACTED]", "[REDACTED]")\n  |    ^^^^^^^^^^ known\n  |                  ----------\n'
    )
  })

  it("marks a password at the marker that is shown in its place", () => {
    const [one] = sampleResult.findings
    const finding = { ...one!, rule: "secret/hardcoded-credential", file: "a.py", line: 1, endLine: 1, label: "known" }
    const review = Presentable.of(
      { ...sampleResult, findings: [finding] },
      new Map([["a.py", ['p = "hunter2"']]]),
      (all) => all.replace("hunter2", "[REDACTED]")
    )
    expect(renderText(review, sampleContext)).toContain('1 | p = "[REDACTED]"\n  |      ^^^^^^^^^^ known\n')
  })

  it("shows once how to suppress a finding, in the language of the file", () => {
    expect(text(first({ file: "a.rb" }))).toContain("To suppress a finding: # dd-ignore-next-line RULE: reason\n")
    expect(text(first({ file: "a.rs" }))).toContain("To suppress a finding: // dd-ignore-next-line RULE: reason\n")
    expect(text(first({ file: "a.html" }))).toContain(
      "To suppress a finding: <!-- dd-ignore-next-line RULE: reason -->\n"
    )
    expect(text(sampleResult).match(/To suppress/g)).toHaveLength(1)
    expect(text(first({ file: "package.json" }))).toContain("add dd1:1111111111111111 to .daydreamignore")
    expect(text(first({ line: 0, endLine: 0 }))).toContain("add dd1:1111111111111111 to .daydreamignore")
  })

  it("keeps the dot of a path after the title", () => {
    expect(
      text(first({ description: "A default argument is shared by all calls. .env.example:1 has it too." }))
    ).toContain("= note: .env.example:1 has it too.")
  })

  it("reports nothing twice", () => {
    const said = text(
      first({
        description: "A default argument is shared by all calls. It is made once.",
        rationale: "It is made once. Use None as the default and make the list inside the function."
      })
    )
    expect(said.match(/It is made once/g)).toHaveLength(1)
    expect(said.match(/Use None as the default/g)).toHaveLength(1)
    expect(said.match(/A default argument is shared/g)).toHaveLength(1)
  })

  it("reports when it is not sure, and when it is not new", () => {
    const report = text(first({ confidence: "MEDIUM", verdict: "uncertain", new: false }))
    expect(report).toContain("(finding 1, medium confidence, verified: uncertain, in the baseline)")
    expect(report).toContain("1 finding in 1 file: 1 high, 0 of them new.")
  })

  it("counts the files in which something was found apart from those that were reviewed", () => {
    const found = sampleResult.findings.slice(0, 2).map((finding) => ({ ...finding, file: "billing/invoice.py" }))
    const whole = { filesInDiff: 3, filesReviewed: 3, files: [] }
    expect(text({ ...sampleResult, findings: found, suppressed: [], coverage: whole })).toMatch(
      /2 findings in 1 file: .*\.\n/
    )
    expect(text({ ...sampleResult, findings: found })).toContain(
      "1 more is suppressed. 7 of 9 changed files were reviewed."
    )
  })

  it("keeps the indentation of a fix that is code", () => {
    const suggestion = "def f(items=None):\n\tif items is None:\n\t\titems = []"
    const code = "   |   def f(items=None):\n   |       if items is None:\n   |           items = []\n"
    expect(text(first({ rule: "model/python", source: "model", suggestion }))).toContain(
      `   = help: the code could be\n${code}`
    )
  })

  it("shows a certain replacement as a diff of the lines that it changes", () => {
    const suggestion = "def add_lines(order, items=None):"
    expect(text(first({ suggestion }))).toContain(
      [
        "   = help: Use None as the default and make the list inside the function.",
        "   |",
        "42 - def add_lines(order, items=[]):",
        "42 + def add_lines(order, items=None):"
      ].join("\n")
    )
    expect(text(first({ suggestion: "" }))).toContain("42 - def add_lines(order, items=[]):\n\n")
  })

  it("shows every other place that a finding speaks of, with its label", () => {
    const place = (file: string, line: number, message: string) => ({ file, line, column: 5, endColumn: 9, message })
    const related = [
      place("billing/invoice.py", 44, "appended here"),
      place("server/export.go", 88, "called here"),
      place("gone.py", 3, "and here")
    ]
    const report = text(first({ column: 22, endColumn: 30, label: "created once", related }))
    expect(report).toContain("--> billing/invoice.py:42:22 (finding 1)")
    expect(report).toMatch(/ {3}\| +\^{8} created once\n/)
    expect(report).toMatch(/ {3}\| +---- appended here\n/)
    expect(report).toContain("--> server/export.go:88:5\n")
    expect(report).toMatch(/ {3}\| +---- called here\n/)
    expect(report).toContain("--> gone.py:3:5: and here\n")
  })

  it("lists every place in a file and with --all, and says on a terminal how many more there are", () => {
    const related = Array.from({ length: 9 }, (_, at) => {
      return { file: `u${at}.py`, line: at + 1, column: 5, endColumn: 9, message: "called here" }
    })
    const description = "Its callers do not fit. Used at u0.py:1, u1.py:2, and 7 more."
    const result = first({ description, related })
    const here = { path: (path: string) => path, description: (text: string) => text, prose: (text: string) => text }
    expect(text(result)).toContain("  --> u7.py:8:5\n  --> u8.py:9:5\n")
    expect(text(result)).not.toContain("Used at")
    expect(text(result, { ...sampleContext, here, all: true })).toContain("--> u8.py:9:5\n")
    expect(text(result, { ...sampleContext, here })).toContain("--> and 4 more places\n")
  })

  it("shows a line that the change deleted, without the line that is there now", () => {
    const related = [
      {
        file: "billing/invoice.py",
        line: 44,
        column: null,
        endColumn: null,
        message: "removed here",
        deleted: "\tgone()"
      }
    ]
    expect(text(first({ related }))).toContain(
      "  --> billing/invoice.py:44\n   |\n   - gone()\n   | ------ removed here\n   |\n"
    )
  })

  it("ends with the sum and the reason for the exit code", () => {
    const end = (result: ReviewResult, { exitCode, failOn = "high" }: { exitCode: number; failOn?: FailOn }) =>
      text(result, { ...sampleContext, exitReason: exitReason(result, { exitCode, failOn }) })
        .trimEnd()
        .split("\n")
        .slice(-3)
    expect(end(sampleResult, { exitCode: 1 })[0]).toBe("Failed: 3 findings at or above high.")
    expect(end(sampleResult, { exitCode: 1, failOn: "low" })[0]).toBe("Failed: 7 findings.")
    expect(end(first({ severity: "low" }), { exitCode: 0 })[0]).toBe("Passed: no new finding at or above high.")
    expect(end({ ...cleanResult, status: "partial" }, { exitCode: 4 }).at(-1)).toBe(
      "Failed: the review is not complete; --on-inconclusive pass accepts that."
    )
    expect(end(cleanResult, { exitCode: 0 }).at(-1)).toBe("Passed: no new finding at or above high.")
    expect(end(cleanResult, { exitCode: 0, failOn: "none" }).at(-1)).toBe(
      "No findings: 68 rules checked 7 of 9 changed files."
    )
    const skipped = [{ path: "big.py", status: "skipped" as const, reason: "too large" }]
    const unread = { ...cleanResult, coverage: { filesInDiff: 1, filesReviewed: 0, files: skipped } }
    expect(end(unread, { exitCode: 0 }).at(-1)).toBe("Passed, although no changed file was checked.")
  })

  it("warns about what was not checked, and names incomplete steps in words", () => {
    const detail = "no answer"
    const degraded = ["parse", "per-stack-parse"].map((step) => ({ step, error: "E", detail }))
    const notes = ["Static checks only: 3 rules.", "Not checked: definitions in 36 of 336 changed files"]
    const report = text({ ...sampleResult, degraded, notes }, { ...sampleContext, colour: true })
    expect(report).toContain("\u001b[33mNot checked: definitions in 36 of 336 changed files")
    expect(report).toContain("\u001b[2mStatic checks only")
    expect(report).toContain("  reading the reviews: no answer (2 times)\n")
  })

  it("divides neither the rule nor the number of a finding on a narrow page", () => {
    const report = text(sampleResult, { ...sampleContext, width: 40 })
    expect(report).toContain("\nhigh[py/mutable-default]: A default\n")
    expect(report).toContain("\n  --> billing/invoice.py:42 (finding 1)\n")
    const long = {
      ...sampleResult.findings[0]!,
      rule: "xref/removed-definition-still-used",
      file: "a/path/to/one.py",
      endLine: 1234
    }
    const rows = text({ ...sampleResult, findings: [{ ...long, line: 1234 }] }, { ...sampleContext, width: 40 })
    expect(rows).toContain("\nhigh[xref/removed-definition-still-used]\n")
    expect(rows).toContain("\n    --> a/path/to/one.py:1234\n        (finding 1)\n")
  })

  it("stays on the page, but for what is there to be copied", () => {
    for (const width of [40, 72, 100]) {
      const report = text({ ...sampleResult, notes: ["word ".repeat(60)] }, { ...sampleContext, width })
      const wide = report.split("\n").filter((line) => columns(line) > width)
      expect(wide.filter((line) => !/^(?: *-->|To (?:suppress|learn)) /.test(line))).toEqual([])
    }
  })

  it("breaks no line without a terminal, so that a claim can be searched for, and cuts only code", () => {
    const words = "many words in one sentence ".repeat(12).trim()
    const sources = new Map([["billing/invoice.py", Array.from({ length: 50 }, () => "x".repeat(300))]])
    const found = first({ title: words, label: words, column: 1, endColumn: 5 })
    const unread = { path: "b.py", status: "unread" as const, reason: words }
    const result = { ...found, notes: [words], coverage: { ...found.coverage, files: [unread] } }
    const report = text(result, { ...sampleContext, width: Number.POSITIVE_INFINITY }, sources)
    const rows = report.split("\n")
    for (const start of ["", "high[py/mutable-default]: ", "   | ^^^^ ", "  "]) {
      expect(rows.filter((row) => row.startsWith(start + words))).toHaveLength(1)
    }
    const code = rows.filter((row) => row.includes("xxxx"))
    expect(code.map(columns).filter((wide) => wide > 140)).toEqual([])
  })

  it("cuts a minified line and a very long description, and reports it", () => {
    const sources = new Map([["billing/invoice.py", Array.from({ length: 50 }, () => "x".repeat(3_000_000 / 50))]])
    const report = text(first({ description: "words ".repeat(100_000) }), sampleContext, sources)
    expect(report.length).toBeLessThan(4_000)
    expect(report).toContain("…")
  })

  it("uses colour only where it may, and never to carry meaning alone", () => {
    const coloured = text(sampleResult, { ...sampleContext, colour: true })
    expect(coloured).toContain("\x1b[1;31mhigh[py/mutable-default]\x1b[0m")
    expect(coloured.replace(/\x1b\[[\d;]*m/g, "")).toBe(text(sampleResult))
  })
})

describe("a report without findings", () => {
  it("reports what was checked", () => {
    expect(text(cleanResult)).toContain("No findings: 68 rules checked 7 of 9 changed files.")
  })

  it("reports why there was nothing to review", () => {
    const report = text({
      ...cleanResult,
      coverage: nothingChanged,
      run: { ...cleanResult.run, description: "main, which is at its base and has no edits" }
    })
    expect(report).toContain("Review of main, which is at its base and has no edits")
    expect(report).toContain("Nothing to review: no files changed.")
    expect(report).not.toContain("No findings")
  })

  it("does not call it clean when everything was skipped", () => {
    const files = [{ path: "a.png", status: "skipped" as const, reason: "binary" }]
    const report = text({ ...cleanResult, coverage: { filesInDiff: 1, filesReviewed: 0, files } })
    expect(report).toContain("Nothing was reviewed: 1 changed file skipped.")
    expect(report).not.toContain("No findings")
  })

  it("reports a file that was not read", () => {
    const files = [
      { path: "a.py", status: "reviewed" as const, reason: "" },
      { path: "b.py", status: "unread" as const, reason: "took too long to parse" }
    ]
    const report = text({ ...cleanResult, coverage: { filesInDiff: 2, filesReviewed: 1, files } })
    expect(report).toContain("No findings in 1 of 2 changed files. 1 file was not reviewed.")
    expect(report).toContain("Not reviewed (1 file)\n  took too long to parse: b.py")
  })

  it("never sounds clean when the review broke off", () => {
    const degraded = [{ step: "stack-review:go", error: "BackendFailed", detail: "the model refused" }]
    const wide = { ...sampleContext, width: 200 }
    const partial = text({ ...cleanResult, status: "partial", degraded }, wide)
    expect(partial).toContain("This review is partial: 1 step was incomplete. It is not a clean result.")
    expect(partial).toContain("stack-review:go: the model refused")
    const inconclusive = text({ ...cleanResult, status: "inconclusive", degraded: [] }, wide)
    expect(inconclusive).toContain("This review is inconclusive.")
    for (const report of [partial, inconclusive]) expect(report).not.toContain("rules checked")
  })

  it("does not claim, after failed model calls, that nothing was reviewed or that findings have no file", () => {
    const files = [{ path: "a.py", status: "unread" as const, reason: "no reviewer reported on it" }]
    const failed = {
      ...cleanResult,
      status: "inconclusive" as const,
      run: { ...cleanResult.run, backend: "anthropic" },
      degraded: ["intent", "per-stack-reviews"].map((step) => ({ step, error: "BackendFailed", detail: "no key" })),
      coverage: { filesInDiff: 1, filesReviewed: 0, files }
    }
    const wide = { ...sampleContext, width: 400 }
    expect(text(failed, wide)).toContain(
      "Static checks found nothing, and the model reviewed nothing: 1 changed file not read. This review is inconclusive: 1 file was not reviewed by the model and 2 steps were incomplete."
    )
    const found = text({ ...failed, findings: sampleResult.findings.slice(0, 1) }, wide)
    expect(found).toContain("1 finding in 1 file: ")
    expect(found).not.toContain("0 of 1")
  })

  it("reports that findings were suppressed, and names what the change silenced itself", () => {
    const report = text({ ...sampleResult, findings: [], dropped: [] })
    expect(report).toContain("No findings: 68 rules checked 7 of 9 changed files. 1 finding is suppressed.")
    expect(report).toContain("8: billing/report.py:9 meta/debug-print, by billing/report.py:8 (added by this change)")
  })

  it("has one line for each suppression, with the numbers of its findings; --all has one for each finding", () => {
    const [one] = sampleResult.suppressed
    const suppressed = [3, 4, 5, 7, 8].map((id) => ({
      ...one!,
      finding: { ...one!.finding, id, line: id },
      by: id === 7 ? "learned sup-0123456789abcdef" : ".daydreamignore:3",
      place: id === 7 ? null : { file: ".daydreamignore", line: 3 },
      addedByChange: false
    }))
    const result = { ...sampleResult, findings: sampleResult.findings.slice(0, 2), suppressed }
    const reason = "the report is printed on purpose"
    expect(text(result, { ...sampleContext, width: 500 })).toContain(
      [
        "Suppressed (5 findings)",
        `  3-5, 8: 4 findings of meta/debug-print, the first at billing/report.py:3, by .daydreamignore:3: ${reason}`,
        `  7: billing/report.py:7 meta/debug-print, by learned sup-0123456789abcdef: ${reason}`,
        ""
      ].join("\n")
    )
    expect(text(result, { ...sampleContext, width: 500, all: true })).toContain(
      `  8: billing/report.py:8 meta/debug-print, by .daydreamignore:3: ${reason}\n`
    )
  })
})
