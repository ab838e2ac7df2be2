import { describe, expect } from "bun:test"
import { noFixes, type TestReport } from "../../../src/domain/fix/FixReport.ts"
import { handoffText } from "../../../src/domain/fix/handoff.ts"
import type { TestResult } from "../../../src/domain/fix/TestResult.ts"
import { it } from "../../support/effect.ts"

const failed: TestResult = {
  outcome: "failed",
  exitCode: 1,
  failing: ["test_a", "test_b"],
  fault: null,
  output: "line\n".repeat(200),
  durationMs: 1,
  reason: "the tests failed: exit code 1, 2 failing",
  sandbox: "bubblewrap"
}

const tests: TestReport = {
  command: { command: "pytest", directory: "api", from: "api/pyproject.toml:2" },
  baseline: { ...failed, failing: ["test_b"], reason: "the tests failed: exit code 1, 1 failing" },
  after: failed,
  comparison: "worse",
  heals: 1,
  reason: ""
}

const handoff = (changed: Partial<TestReport>) =>
  handoffText({
    report: {
      ...noFixes,
      outcomes: [
        { id: 1, fingerprint: "", path: "a.py", status: "resolved", detail: "" },
        { id: 2, fingerprint: "", path: "b.py", status: "unresolved", detail: "the model left it" }
      ],
      files: ["a.py"],
      tests: { ...tests, ...changed }
    },
    titles: new Map([[1, "Mutable default argument"]]),
    patch: ".daydream/recommended.patch"
  })

describe("handoffText", () => {
  it("lists what was fixed, what fails, the command, the end of the output and what to do", () => {
    const text = handoff({ after: { ...failed, output: "the end\n" } })
    expect(text).toBe(`# Fixes with failing tests

After the fixes: the tests failed: exit code 1, 2 failing. Before the fixes: the tests failed: exit code 1, 1 failing. The fixes make the tests worse.

## Fixed

- a.py: Mutable default argument: resolved

## Not fixed

- b.py: unresolved (the model left it)

## Changed files

- a.py

## Tests that fail since the fixes

- test_a

## Tests that failed before the fixes

- test_b

## Command

\`\`\`
(cd api && pytest)
\`\`\`

From api/pyproject.toml:2.

## End of the output

\`\`\`
the end
\`\`\`

## What to do

1. Find the fix that breaks the tests: apply the patch, run the command, and undo one file after the other.
2. Apply the fixes with \`git apply .daydream/recommended.patch\`, or discard them.
`)
  })

  it("is bounded, and its fence is longer than those in the output", () => {
    expect(handoff({}).match(/^line$/gm)).toHaveLength(100)
    const names = Array.from({ length: 80 }, (_, index) => `t${index}`)
    expect(handoff({ after: { ...failed, failing: names } })).toContain("- and 30 more")
    expect(handoff({ after: { ...failed, output: "```\ntext\n```" } })).toContain("````\n```\ntext")
  })

  it("says what is missing for tests that could not do their work", () => {
    const reason = "a service refused the connection; start it, then run the tests again"
    const after: TestResult = { ...failed, outcome: "environment", fault: "service", reason, failing: null }
    const text = handoff({ baseline: null, after, comparison: "environment" })
    expect(text).toContain(`1. Make the tests run: ${reason}.`)
    expect(text).toContain("They did not run before the fixes.")
  })

  it("is complete without tests", () => {
    const text = handoff({ command: null, baseline: null, after: null, comparison: "unknown" })
    expect(text).toContain("The tests did not run.")
    expect(text).not.toContain("## Command")
  })
})
