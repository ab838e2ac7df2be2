/** The lines of a diff on which a comment stands. */
import type { DiffFile, Hunk } from "../change/Diff.ts"
import type { FoundFinding } from "../review/FindingsArtifact.ts"
import type { DiffSide } from "./PullRequest.ts"

export interface Anchor {
  readonly path: string
  readonly side: DiffSide
  readonly startLine: number
  /** The last line; `startLine` for a comment on one line. */
  readonly line: number
}

export interface Placed {
  readonly finding: FoundFinding
  /** Null: the finding is not on a line of the diff, so it is in the summary. */
  readonly anchor: Anchor | null
}

/**
 * The anchor of lines of the head side, or of the base side for a deleted file. Null if the first line is in no hunk:
 * forges accept no comment there, and another line would be wrong. Lines that leave the hunk are cut to the first one.
 */
export const anchorOf = (file: DiffFile, line: number, endLine: number): Anchor | null => {
  const side = file.status === "deleted" ? "LEFT" : "RIGHT"
  const hunk = file.hunks.find((each) => isInside(each, side, line))
  if (hunk === undefined) return null
  const last = endLine > line && isInside(hunk, side, endLine) ? endLine : line
  return { path: file.path, side, startLine: line, line: last }
}

const isInside = (hunk: Hunk, side: DiffSide, line: number): boolean => {
  const [start, count] = side === "LEFT" ? [hunk.oldStart, hunk.oldCount] : [hunk.newStart, hunk.newCount]
  return line >= start && line < start + count
}

/** Does the comment stand on exactly these lines of the head side? A suggestion replaces all lines of its comment. */
export const covers = ({ line: last, side, startLine }: Anchor, line: number, endLine: number): boolean =>
  side === "RIGHT" && startLine === line && last === endLine
