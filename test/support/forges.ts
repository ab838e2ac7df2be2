/** Findings, diffs and threads for the tests of room forge. */

import { Result } from "effect"
import type { DiffFile } from "../../src/domain/change/Diff.ts"
import { parseDiff } from "../../src/domain/change/parseDiff.ts"
import type { Discussion, Thread } from "../../src/domain/forge/PullRequest.ts"
import type { FindingsArtifact, FoundFinding } from "../../src/domain/review/FindingsArtifact.ts"

export const fingerprint = (n: number): string => `dd1:${n.toString(16).padStart(16, "0")}`

export const found = (n: number, over: Partial<FoundFinding> = {}): FoundFinding => ({
  fingerprint: fingerprint(n),
  path: "a.py",
  line: 2,
  end_line: 2,
  placement: "inline",
  title: `Finding ${n}`,
  body: `Finding ${n}.\n\nIt breaks.`,
  severity: "medium",
  confidence: "HIGH",
  is_cross_stack: false,
  rule: "py/bare-except",
  suggestion: null,
  new: true,
  ...over
})

export const headSha = "a".repeat(40)

export const artifact = (
  findings: ReadonlyArray<FoundFinding>,
  over: Partial<FindingsArtifact> = {}
): FindingsArtifact => ({
  schema_version: 1,
  repo: null,
  pr_number: null,
  head_sha: headSha,
  run_info: null,
  complete: true,
  findings,
  ...over
})

/** Two hunks: lines 1 to 5 and 40 to 42 of the head side; line 2 of the base side is deleted. */
export const patchOf = (path: string): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,5 @@\n one\n-two\n+zwei\n+drei\n+vier\n five\n@@ -38,3 +40,3 @@\n x\n-y\n+z\n w\n`

export const diffFile = (path: string): DiffFile => {
  const parsed = parseDiff(new TextEncoder().encode(patchOf(path)))
  return Result.getOrThrow(parsed).files[0]!
}

export const thread = (id: string, bodies: ReadonlyArray<string>, over: Partial<Thread> = {}): Thread => {
  const [first = "", ...rest] = bodies
  const own = (body: string) => ({ author: "dd", isOwn: true, body })
  return {
    id,
    path: "a.py",
    line: 2,
    side: "RIGHT",
    isOutdated: false,
    isResolved: false,
    resolvedBy: null,
    comments: [own(first), ...rest.map(own)],
    ...over
  }
}

export const discussion = (threads: ReadonlyArray<Thread>): Discussion => ({ threads, reviews: [], comments: [] })
