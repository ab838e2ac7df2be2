/**
 * What an extension is told about the run: plain JSON, with the names `dd review --format json` uses.
 *
 * The shape is API version 1 of the extension seam: a field may be added, none may change its meaning.
 */
import type { Change } from "../change/Change.ts"
import { sideText } from "../change/Change.ts"
import type { Stack } from "../code/Stack.ts"
import type { Confidence, Lens, ReviewRecord, Severity } from "../finding/Finding.ts"

export interface FactFile {
  readonly path: string
  /** The base side's path of a renamed or copied file. */
  readonly old_path: string | null
  readonly status: "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed"
  readonly binary: boolean
  /** The lines the change adds, numbered as on the head side. */
  readonly added: ReadonlyArray<{ readonly line: number; readonly text: string }>
  /** The lines the change deletes, numbered as on the base side. */
  readonly deleted: ReadonlyArray<{ readonly line: number; readonly text: string }>
}

export interface FactFinding {
  /** Its number once findings are merged; null for a claim that is not merged yet. */
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
  /** Which pass of its loop group the step is in, from 1; null outside one. */
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
  readonly stacks: ReadonlyArray<Stack>
  /** "" until the intent step has run. */
  readonly intent: string
  readonly findings: ReadonlyArray<FactFinding>
}

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

/** A claim as its reviewer made it; the merge gives it an `id` and a `lens`. */
export const recordFacts = (record: ReviewRecord, stack: string): FactFinding => ({
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
