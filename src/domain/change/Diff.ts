/**
 * A unified git diff as data: files, hunks and lines, exact enough to be applied again.
 *
 * Lines keep their text without the final `\n` (a CR stays); `raw` holds the bytes of a line that is
 * not UTF-8. Paths are UTF-8 with forward slashes; a byte that is not UTF-8 shows as `\xHH`.
 */

export type FileStatus = "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed"

export interface DiffLine {
  readonly kind: "context" | "added" | "deleted"
  /** From 1; null on a side without the line. */
  readonly oldLine: number | null
  readonly newLine: number | null
  readonly text: string
  readonly raw: Uint8Array | null
  /** True for a last line without a newline at its end. */
  readonly noNewline: boolean
}

export interface Hunk {
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  /** What git prints behind the second `@@`. */
  readonly section: string
  readonly lines: ReadonlyArray<DiffLine>
}

export interface DiffFile {
  readonly status: FileStatus
  /** The head side's path; for a deleted file, the base side's. */
  readonly path: string
  readonly oldPath: string | null
  readonly newPath: string | null
  /** Six octal digits as git prints them (100644, 100755, 120000 link, 160000 submodule); null when absent or unsaid. */
  readonly oldMode: string | null
  readonly newMode: string | null
  /** Full object names; null when the diff does not tell (worktree side, foreign patch). */
  readonly oldOid: string | null
  readonly newOid: string | null
  readonly binary: boolean
  /** 0..100 for renames and copies. */
  readonly similarity: number | null
  readonly hunks: ReadonlyArray<Hunk>
  /** Why the hunks do not show all that changed in it; absent when they do, and for what is binary or too large. */
  readonly unread?: string
  /** Bytes of a side over the limit for texts, which is why there is no hunk. */
  readonly tooLarge?: number
}

export interface Diff {
  readonly files: ReadonlyArray<DiffFile>
}

export const isSubmodule = (file: DiffFile): boolean => file.newMode === "160000" || file.oldMode === "160000"
export const isLink = (file: DiffFile): boolean => file.newMode === "120000"
