/**
 * A unified git diff as data: files, hunks and lines, exact enough to be applied again.
 *
 * Lines have their text without the final `\n` (a CR is kept); `raw` has the bytes of a line that is not UTF-8. Paths
 * are UTF-8 with forward slashes; a byte that is not UTF-8 is written as `\xHH`.
 */

import { isUnreviewedPath } from "./PathKind.ts"

export type FileStatus = "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed"

export interface DiffLine {
  readonly kind: "context" | "added" | "deleted"
  /** From 1; null on a side without the line. */
  readonly oldLine: number | null
  readonly newLine: number | null
  readonly text: string
  readonly raw: Uint8Array | null
  /** Is it a last line without a newline at its end? */
  readonly noNewline: boolean
}

export interface Hunk {
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  /** The text after the second `@@`. */
  readonly section: string
  readonly lines: ReadonlyArray<DiffLine>
}

export interface DiffFile {
  readonly status: FileStatus
  /** The head side's path; for a deleted file, the base side's. */
  readonly path: string
  readonly oldPath: string | null
  readonly newPath: string | null
  /** Six octal digits as git prints them (100644, 100755, 120000 link, 160000 submodule); null if absent or not in the diff. */
  readonly oldMode: string | null
  readonly newMode: string | null
  /** Full object names; null if they are not in the diff (worktree side, foreign patch). */
  readonly oldOid: string | null
  readonly newOid: string | null
  readonly binary: boolean
  readonly hunks: ReadonlyArray<Hunk>
  /** Why the hunks are incomplete; absent if they are complete, and for binary and too large files. */
  readonly unread?: string
  /** The size in bytes of a side that exceeds the limit for texts, so that there is no hunk. */
  readonly tooLarge?: number
  /** Was it vendored or generated before the change, so that nobody reviewed it? */
  readonly unreviewed?: boolean
  /** Is it a pointer of Git LFS, so that there is no hunk? */
  readonly pointer?: true
}

export interface Diff {
  readonly files: ReadonlyArray<DiffFile>
}

export const isSubmodule = (file: DiffFile): boolean => file.newMode === "160000" || file.oldMode === "160000"
export const isLink = (file: DiffFile): boolean => file.newMode === "120000"

/** Was what the change deletes of it reviewed before? */
export const isReviewedBefore = ({ oldPath, unreviewed }: DiffFile): boolean =>
  oldPath === null || !(unreviewed ?? isUnreviewedPath(oldPath))

/** A text file without a change. */
export const untouchedFile = (path: string): DiffFile => ({
  status: "modified",
  path,
  oldPath: path,
  newPath: path,
  oldMode: null,
  newMode: null,
  oldOid: null,
  newOid: null,
  binary: false,
  hunks: []
})
