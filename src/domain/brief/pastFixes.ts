/**
 * Compares a change with the fixes before it: lines of a fix that it deletes, lines that a fix deleted and that it
 * adds again, and files with many fixes.
 */

import type { DiffFile } from "../change/Diff.ts"
import type { PastCommit } from "../change/PastCommit.ts"
import { lineKey, type PastEdit } from "../change/PastEdit.ts"
import { runsOf } from "./form/changedRuns.ts"
import type { PastChange } from "./History.ts"

const fixes =
  /^(?:revert|(?:\S{1,30}: ?|\[[^\]]{1,30}\] ?)?(?:\w+ )?(?:bug|hot)?-?fix(?:e[sd]|ing)?\b|\[bug\])|\b(?:cve-\d|fix(?:e[sd])? #\d|(?:fix(?:e[sd]|ing)?|prevent|avoid|handle|resolve[sd]?|correct)\b.*\b(?:bug|crash\w*|regression|panic|races?|deadlock|leak\w*|overflow|corrupt\w*|exception|error|hang\w*|vulnerab\w+|nil|null|undefined)\b)|\bregression\b|^(?:fix|security)(?:\([^)]*\))?!?:/i
const harmless =
  /\b(?:typos?|docs?|docstrings?|documentation|comments?|lint\w*|format\w*|flak\w+|tests?|ci|builds?|warnings?|spelling|changelog|release notes|benchmarks?|style|typings?|links?|example|readme|grammar|mypy|clippy|eslint|workflows?)\b/i

/** Is the commit, by its subject, a fix of the program or a revert? */
export const isFix = ({ subject }: Pick<PastCommit, "subject">): boolean =>
  fixes.test(subject) && !harmless.test(subject)

/** The issue or pull request that a subject names: the last one, `CVE-2024-1` first. */
export const issueOf = (subject: string): string | null =>
  /\bCVE-\d{4}-\d+/i.exec(subject)?.[0] ?? subject.match(/(?:#|\bGH-)\d{1,7}\b/g)?.at(-1) ?? null

export interface PastFix {
  readonly commit: PastCommit
  readonly edit: PastEdit
}

/** A changed file with the fixes that touched it, newest first. */
export interface FixedFile {
  readonly file: DiffFile
  readonly fixes: ReadonlyArray<PastFix>
  /** The lines of the file on each side. */
  readonly base: ReadonlyArray<string>
  readonly head: ReadonlyArray<string>
}

/** The keys of lines. */
export const keysOf = (lines: ReadonlyArray<string>): ReadonlySet<number> =>
  new Set(lines.flatMap((line) => lineKey(line) ?? []))

interface KeyedLine {
  readonly line: number
  readonly key: number
  readonly length: number
  /** Deleted, with added lines in its place. */
  readonly isReplaced: boolean
}

const linesOf = (file: DiffFile, kind: "added" | "deleted"): ReadonlyArray<KeyedLine> =>
  runsOf(file).flatMap(({ lines }) => {
    const isReplaced = kind === "deleted" && lines.some((each) => each.kind === "added")
    return lines.flatMap((each) => {
      const line = kind === "added" ? each.newLine : each.oldLine
      const key = each.kind === kind ? lineKey(each.text) : null
      return key === null || line === null ? [] : [{ line, key, length: each.text.trim().length, isReplaced }]
    })
  })

/** A shorter or replaced line is no evidence by itself: most changes rewrite a line that some fix wrote. */
const leastLength = 40
const leastLines = 2
/** Of the lines of a fix in the file; a change that has fewer of them mostly edits something else. */
const leastShare = 1 / 2
/** Restored lines are together. */
const mostBetween = 2

const isEvidence = (lines: ReadonlyArray<KeyedLine>): boolean =>
  new Set(lines.map(({ key }) => key)).size >= leastLines ||
  lines.some(({ isReplaced, length }) => !isReplaced && length >= leastLength)

/** Fixes whose lines the change deletes; `added`: the keys of all lines that the change adds. */
export const removedFixes = (fixed: FixedFile, added: ReadonlySet<number>): ReadonlyArray<PastChange> => {
  // A removed file is not an edit of the fix.
  if (fixed.file.newPath === null) return []
  return matches(fixed, "deleted", "added", added, fixed.head)
    .map(({ fix, lines }) => pastChange("fix-removed", fixed, fix, lines))
    .filter(({ lines, of }) => lines >= of * leastShare)
}

/** Fixes whose deleted lines the change adds again; `deleted`: the keys of all lines that the change deletes. */
export const broughtBack = (fixed: FixedFile, deleted: ReadonlySet<number>): ReadonlyArray<PastChange> => {
  return matches(fixed, "added", "deleted", deleted, fixed.base)
    .map(({ fix, lines }) => pastChange("brought-back", fixed, fix, lines))
    .filter(({ end, line, lines, of }) => lines >= of * leastShare && end - line <= lines * mostBetween)
}

/**
 * The lines of one kind that a fix has on the other side, without those that are elsewhere. Each line belongs to the
 * newest fix that has it.
 */
const matches = (
  { file, fixes }: FixedFile,
  kind: "added" | "deleted",
  side: "added" | "deleted",
  moved: ReadonlySet<number>,
  otherSide: ReadonlyArray<string>
) => {
  const all = new Set(fixes.flatMap(({ edit }) => edit[side]))
  const own = linesOf(file, kind).filter(({ key }) => all.has(key) && !moved.has(key))
  // The keys of a file take longer than those of its changed lines.
  const elsewhere = own.length === 0 ? all : keysOf(otherSide)
  let left = own.filter(({ key }) => !elsewhere.has(key))
  return fixes.flatMap((fix) => {
    const keys = new Set(fix.edit[side])
    const own = left.filter(({ key }) => keys.has(key))
    if (own.length === 0) return []
    left = left.filter(({ key }) => !keys.has(key))
    return isEvidence(own) ? [{ fix, lines: own }] : []
  })
}

const pastChange = (
  kind: "fix-removed" | "brought-back",
  { file }: FixedFile,
  { commit, edit }: PastFix,
  lines: ReadonlyArray<KeyedLine>
): PastChange => {
  const base = kind === "fix-removed"
  return {
    kind,
    file: base ? (file.oldPath ?? file.path) : file.path,
    line: lines[0]!.line,
    end: lines.at(-1)!.line,
    base,
    commit: commit.sha,
    subject: commit.subject,
    date: commit.date,
    issue: issueOf(commit.subject),
    lines: new Set(lines.map(({ key }) => key)).size,
    of: (base ? edit.added : edit.deleted).length
  }
}

const recently = 90 * 86_400
const oftenFixes = 4

/** The file, if it had many fixes before the change. */
export const oftenFixed = ({ file, fixes }: FixedFile, now: number): ReadonlyArray<PastChange> => {
  const recent = fixes.filter(({ commit }) => commit.time >= now - recently)
  const [latest] = recent
  if (latest === undefined || recent.length < oftenFixes) return []
  const { date, sha, subject } = latest.commit
  return [
    {
      kind: "often-fixed",
      file: file.path,
      line: 0,
      end: 0,
      base: false,
      commit: sha,
      subject,
      date,
      issue: issueOf(subject),
      lines: recent.length,
      of: recent.length
    }
  ]
}
