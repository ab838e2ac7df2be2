/** Does the change add or delete a line in this range of the head side? */
import type { DiffFile } from "./Diff.ts"

export const touchedBy = ({ hunks }: DiffFile, line: number, endLine: number): boolean =>
  hunks.some((hunk) => {
    // The next line of the head side: the position of a deleted line.
    let next = hunk.newCount === 0 ? hunk.newStart + 1 : hunk.newStart
    return hunk.lines.some(({ kind, newLine }) => {
      const at = newLine ?? next
      if (newLine !== null) next = newLine + 1
      return kind === "added" ? at >= line && at <= endLine : kind === "deleted" && at > line && at <= endLine
    })
  })
