/** A review of three languages with seven findings, as the renderers' tests see it. */

import { Presentable } from "../../src/cli/review/render/Presentable.ts"
import type { RenderContext, RuleWords } from "../../src/cli/review/render/RenderContext.ts"
import { noCost } from "../../src/domain/agent/RunCost.ts"
import { type Finding, ReviewRecord } from "../../src/domain/finding/Finding.ts"
import type { ReviewResult, SourceLines } from "../../src/domain/review/ReviewResult.ts"
import { plainRedaction } from "../../src/domain/secret/Redaction.ts"

const rules: Readonly<Record<string, RuleWords>> = {
  "py/mutable-default": {
    title: "A default argument is shared by all calls",
    why: "The default is made once, when the function is defined. Every call that leaves `items` out appends to the same list, so one customer's lines turn up on the next one's invoice.",
    fix: "Use None as the default and make the list inside the function.",
    reference: "https://docs.python.org/3/tutorial/controlflow.html#default-argument-values"
  },
  "py/assert-tuple": {
    title: "The assertion can never fail",
    why: "A tuple with something in it is always true, so the condition is not looked at.",
    fix: "Take the parentheses away: assert condition, message.",
    reference: "https://docs.python.org/3/reference/simple_stmts.html#the-assert-statement"
  },
  "go/lost-cancel": {
    title: "The context is never cancelled",
    why: "Until the parent ends, the timer and everything the context holds stay in memory. This handler runs once per request.",
    fix: "Keep the cancel function and defer it.",
    reference: "https://pkg.go.dev/context#WithTimeout"
  },
  "go/unchecked-error": {
    title: "The error of Close is not looked at after writing",
    why: "Buffered bytes are written on Close, so a full disk shows up only there; the export then looks complete and is cut short.",
    fix: "Return the error of Close.",
    reference: "https://pkg.go.dev/os#File.Close"
  },
  "ts/floating-promise": {
    title: "A promise is started and nobody waits for it",
    why: "If saving fails, the rejection is not handled and the form still says that it was saved.",
    fix: "Await the call, or handle its rejection.",
    reference: "CWE-754"
  },
  "ts/focused-test": {
    title: "A focused test keeps all others in the file from running",
    why: "The suite stays green while eleven tests of this file no longer run.",
    fix: "Take .only away.",
    reference: "https://vitest.dev/api/#test-only"
  },
  "meta/debug-print": {
    title: "A debugging line was left in",
    why: "It writes to standard output for every row, which the export's consumers read as data.",
    fix: "Remove the line, or use the logger.",
    reference: "CWE-489"
  }
}

const finding = (
  id: number,
  rule: string,
  file: string,
  line: number,
  severity: Finding["severity"],
  stack: string,
  rest: Partial<Finding> = {}
): Finding => ({
  id,
  rule,
  title: rules[rule]!.title,
  description: rules[rule]!.title,
  file,
  line,
  endLine: line,
  column: null,
  endColumn: null,
  label: null,
  related: [],
  severity,
  confidence: "HIGH",
  lens: "per-stack",
  stack,
  source: "static",
  rationale: rules[rule]!.why,
  evidence: `${file}:${line}`,
  fingerprint: `dd1:${String(id).repeat(16)}`,
  suggestion: null,
  verdict: null,
  new: true,
  ...rest
})

const padded = (before: number, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...Array.from({ length: before }, () => ""),
  ...lines
]

export const sampleSources: SourceLines = new Map([
  [
    "billing/invoice.py",
    padded(40, [
      "",
      "def add_lines(order, items=[]):",
      "    for line in order.lines:",
      "        items.append(line)",
      "        print(line)",
      "    return items"
    ])
  ],
  [
    "billing/test_invoice.py",
    padded(10, ["def test_total(invoice):", '    assert (invoice.total == 12, "total is wrong")', ""])
  ],
  [
    "server/export.go",
    padded(86, [
      "func (s *Server) export(w http.ResponseWriter, r *http.Request) {",
      "\tctx, _ := context.WithTimeout(r.Context(), 30*time.Second)",
      '\trows, err := s.db.QueryContext(ctx, "SELECT id, customer, total, currency, created_at, updated_at FROM invoices WHERE archived = false ORDER BY created_at")',
      "\tif err != nil {",
      "\t\thttp.Error(w, err.Error(), 500)",
      "\t\treturn",
      "\t}",
      "\tfile.Write(buffer.Bytes())",
      "\tfile.Close()",
      "}"
    ])
  ],
  [
    "web/src/InvoiceForm.tsx",
    padded(28, ["  const submit = (draft: Draft) => {", "    saveInvoice(draft)", '    setStatus("saved")', "  }"])
  ],
  ["web/src/InvoiceForm.test.tsx", padded(6, ['test.only("shows the total", () => {', "  render(<InvoiceForm />)"])]
])

export const sampleResult: ReviewResult = {
  run: {
    sessionId: "20260301T101500Z-4f2a",
    flow: "deep",
    backend: "static",
    base: "6b0f6e1a9d5c4e0f8a7b6c5d4e3f2a1b0c9d8e7f",
    head: "worktree",
    startedAt: "2026-03-01T10:15:00.000Z",
    reviewedBy: ["static"],
    durationMs: 412,
    description: "branch invoice-export against main (3 commits), and uncommitted edits"
  },
  status: "complete",
  findings: [
    finding(1, "py/mutable-default", "billing/invoice.py", 42, "high", "python"),
    finding(2, "go/lost-cancel", "server/export.go", 88, "high", "go"),
    finding(3, "ts/focused-test", "web/src/InvoiceForm.test.tsx", 7, "high", "react"),
    finding(4, "py/assert-tuple", "billing/test_invoice.py", 12, "medium", "python"),
    finding(5, "ts/floating-promise", "web/src/InvoiceForm.tsx", 30, "medium", "react", { confidence: "MEDIUM" }),
    finding(6, "go/unchecked-error", "server/export.go", 95, "medium", "go"),
    finding(7, "meta/debug-print", "billing/invoice.py", 45, "low", "python")
  ],
  passes: [],
  dropped: [
    {
      reason: "the quoted text is not in the file",
      stack: "go",
      record: new ReviewRecord({
        id: 3,
        description: "The export may race with the archiver.",
        file: "server/export.go",
        line: 90,
        confidence: "LOW",
        severity: "medium",
        rationale: "",
        evidence: "server/export.go:90"
      })
    }
  ],
  suppressed: [
    {
      finding: finding(8, "meta/debug-print", "billing/report.py", 9, "low", "python"),
      by: "billing/report.py:8",
      place: { file: "billing/report.py", line: 8 },
      reason: "the report is printed on purpose",
      addedByChange: true
    }
  ],
  degraded: [],
  coverage: {
    filesInDiff: 9,
    filesReviewed: 7,
    files: [
      { path: "billing/invoice.py", status: "reviewed", reason: "" },
      { path: "billing/report.py", status: "reviewed", reason: "" },
      { path: "billing/test_invoice.py", status: "reviewed", reason: "" },
      { path: "server/export.go", status: "reviewed", reason: "" },
      { path: "server/routes.go", status: "reviewed", reason: "" },
      { path: "web/package-lock.json", status: "skipped", reason: "lock file" },
      { path: "web/public/logo.png", status: "skipped", reason: "binary" },
      { path: "web/src/InvoiceForm.test.tsx", status: "reviewed", reason: "" },
      { path: "web/src/InvoiceForm.tsx", status: "reviewed", reason: "" }
    ]
  },
  brief: null,
  stacks: ["python", "go", "react"],
  agentsPlanned: 10,
  limit: null,
  cost: { ...noCost, doubts: new Map() },
  notes: ["Static checks only: 68 rules, 7 files. Model reviews are not in this build."],
  fix: null,
  feedback: null,
  rulesApplied: 68
}

export const cleanResult: ReviewResult = { ...sampleResult, findings: [], dropped: [], suppressed: [] }

export const sampleContext: RenderContext = {
  version: "0.1.0",
  rule: (id) => (Object.hasOwn(rules, id) ? rules[id] : undefined),
  width: 100,
  colour: false,
  all: false,
  shown: 5,
  files: "https://github.com/acme/billing/blob/0a1b2c3/",
  exitCode: 0,
  exitReason: null
}

export const present = (result: ReviewResult, sources: SourceLines = sampleSources): Presentable =>
  Presentable.of(result, sources, plainRedaction.text)
