/**
 * The data about the run that an extension gets: plain JSON with the names of `dd review --format json`.
 *
 * The shape is part of API version 1: fields may be added, but no field may change its meaning.
 */
import type { Change } from "../change/Change.ts"
import { sideText } from "../change/Change.ts"
import type { Stack } from "../code/Stack.ts"
import type { Confidence, Lens, ReviewRecord, Severity } from "../finding/Finding.ts"

export interface FactFile {
  readonly path: string
  /** The base-side path of a renamed or copied file. */
  readonly old_path: string | null
  readonly status: "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed"
  readonly binary: boolean
  /** The added lines, with head-side numbers. */
  readonly added: ReadonlyArray<{ readonly line: number; readonly text: string }>
  /** The deleted lines, with base-side numbers. */
  readonly deleted: ReadonlyArray<{ readonly line: number; readonly text: string }>
}

export interface FactFinding {
  /** The number of the merged finding; null before the merge. */
  readonly id: number | null
  readonly rule: string | null
  readonly title: string | null
  readonly description: string
  readonly file: string
  readonly line: number
  readonly end_line: number
  readonly severity: Severity
  readonly confidence: Confidence
  readonly lens: Lens | null
  readonly stack: string | null
  readonly rationale: string
  readonly evidence: string
  readonly suggestion: string | null
}

export interface Facts {
  readonly flow: string
  readonly step: string
  /** The current pass of the step's loop group, from 1; null outside of a loop group. */
  readonly iteration: number | null
  readonly change: {
    readonly description: string
    /** A full sha, `worktree`, `index`, `empty` or `unknown`. */
    readonly base: string
    readonly head: string
    readonly branch: string | null
    readonly commits: ReadonlyArray<{ readonly sha: string; readonly subject: string; readonly body: string }>
  }
  readonly files: ReadonlyArray<FactFile>
  readonly stacks: ReadonlyArray<Pick<Stack, "files" | "name">>
  /** "" until the intent step has run. */
  readonly intent: string
  readonly findings: ReadonlyArray<FactFinding>
}

/** Without the diff of a shard, which `Facts` has already. */
export const stackFacts = (stacks: ReadonlyArray<Stack>): Facts["stacks"] =>
  stacks.map(({ files, name }) => ({ files, name }))

export const changeFacts = (change: Change): Pick<Facts, "change" | "files"> => ({
  change: {
    description: change.description,
    base: sideText(change.base),
    head: sideText(change.head),
    branch: change.branch,
    commits: change.commits.map(({ sha, subject, body }) => ({ sha, subject, body }))
  },
  files: change.diff.files.map((file) => {
    const lines = file.hunks.flatMap((hunk) => hunk.lines)
    return {
      path: file.path,
      old_path: file.oldPath === file.path ? null : file.oldPath,
      status: file.status,
      binary: file.binary,
      added: lines.flatMap(({ kind, newLine, text }) =>
        kind === "added" && newLine !== null ? [{ line: newLine, text }] : []
      ),
      deleted: lines.flatMap(({ kind, oldLine, text }) =>
        kind === "deleted" && oldLine !== null ? [{ line: oldLine, text }] : []
      )
    }
  })
})

/** A claim before the merge, which adds `id` and `lens`. */
export const recordFacts = (record: ReviewRecord, stack: string | null): FactFinding => ({
  id: null,
  rule: record.rule ?? null,
  title: record.title ?? null,
  description: record.description,
  file: record.file,
  line: record.line,
  end_line: record.endLine ?? record.line,
  severity: record.severity,
  confidence: record.confidence,
  lens: null,
  stack,
  rationale: record.rationale,
  evidence: record.evidence,
  suggestion: record.suggestion ?? null
})
