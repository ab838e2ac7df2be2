/** Small whole values for tests: everything a domain type needs, so that a test names only what it is about. */

import { Result } from "effect"
import type { Task, Worktree } from "../../src/domain/agent/Task.ts"
import type { Change } from "../../src/domain/change/Change.ts"
import type { PastCommit } from "../../src/domain/change/PastCommit.ts"
import { parseDiff } from "../../src/domain/change/parseDiff.ts"
import { nothingExplored } from "../../src/domain/code/Exploration.ts"
import type { Stack } from "../../src/domain/code/Stack.ts"
import { ReviewRecord } from "../../src/domain/finding/Finding.ts"
import type { StackRecords } from "../../src/domain/finding/StackReport.ts"
import { Verdict } from "../../src/domain/finding/Verdict.ts"

export const record = (over: Partial<ReviewRecord> = {}): ReviewRecord =>
  ReviewRecord.make({
    id: 1,
    description: "The handle is never closed",
    file: "src/a.py",
    line: 2,
    confidence: "HIGH",
    severity: "medium",
    rationale: "It leaks a descriptor a call.",
    evidence: "src/a.py:2",
    ...over
  })

type FixTask = Extract<Task, { readonly _tag: "Fix" }>

export const stack = (name: string, ...files: ReadonlyArray<string>): Stack => ({ name, files })

export const stackRecords = (name: string, ...records: ReadonlyArray<ReviewRecord>): StackRecords => ({
  stack: stack(name, ...new Set(records.map((each) => each.file))),
  records
})

/** A patch that adds these lines to a new file each. */
export const additions = (files: Readonly<Record<string, ReadonlyArray<string>>>): string =>
  Object.entries(files)
    .map(([path, lines]) =>
      [
        `diff --git a/${path} b/${path}`,
        "new file mode 100644",
        "--- /dev/null",
        `+++ b/${path}`,
        `@@ -0,0 +1,${lines.length} @@`,
        ...lines.map((line) => `+${line}`),
        ""
      ].join("\n")
    )
    .join("")

export const change = (
  files: Readonly<Record<string, ReadonlyArray<string>>> = { "src/a.py": ["import os", "f = open(p)"] }
): Change => {
  const patch = new TextEncoder().encode(additions(files))
  return {
    description: "a test change",
    base: { _tag: "Unknown" },
    head: { _tag: "Unknown" },
    branch: null,
    commits: [],
    diff: Result.getOrThrow(parseDiff(patch)),
    patch
  }
}

export const fixTask = (tree: Worktree, over: Partial<FixTask> = {}): FixTask => ({
  _tag: "Fix",
  change: change(),
  intent: "Open a file.",
  path: "src/a.py",
  findings: [
    {
      id: 1,
      record: record({ suggestion: "with open(p) as f:" }),
      verdict: Verdict.make({
        issue_id: 1,
        evidence: "src/a.py:2 opens and does not close",
        unverified_assumptions: ["nobody closes it later"],
        verdict: "consistent"
      })
    }
  ],
  tree,
  trouble: "1 failed: test_close",
  ...over
})

/** One task of each kind. The working tree of the fix does not exist. */
export const everyTask: ReadonlyArray<Task> = [
  { _tag: "Intent", change: change(), exploration: nothingExplored },
  { _tag: "Alternatives", change: change(), exploration: nothingExplored, intent: "Open a file." },
  {
    _tag: "StackReview",
    change: change(),
    exploration: nothingExplored,
    intent: "Open a file.",
    stack: stack("python", "src/a.py")
  },
  { _tag: "ParseReview", stack: stack("python", "src/a.py"), review: "1. [src/a.py:2] The handle is never closed\n" },
  {
    _tag: "Arbitrate",
    change: change(),
    intent: "Open a file.",
    contested: [{ arbId: 1, stack: "python", record: record({ severity: "high" }) }]
  },
  { _tag: "Merge", intent: "Open a file.", items: [{ id: 1, stacks: ["python"], record: record() }], failures: {} },
  {
    _tag: "Verify",
    change: change(),
    intent: "Open a file.",
    claims: [{ id: 1, stack: "python", record: record(), fingerprint: "dd1:1" }]
  },
  fixTask({ root: "/nowhere", allow: [] })
]

/** A commit that modified these files. */
export const pastCommit = (sha: string, ...paths: ReadonlyArray<string>): PastCommit => ({
  sha,
  parents: [],
  author: "Ada",
  date: "2026-01-02",
  time: 1_767_323_045,
  subject: "Change files",
  files: paths.map((path) => ({ status: "M", path, oldPath: null }))
})
