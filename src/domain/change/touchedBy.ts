/** Did a change add or take away a line within these of the head side? Pure. */
import type { DiffFile } from "./Diff.ts"

export const touchedBy = ({ hunks }: DiffFile, line: number, endLine: number): boolean =>
  hunks.some((hunk) => {
    // The next line of the head side: where a deleted line would be.
    let next = hunk.newCount === 0 ? hunk.newStart + 1 : hunk.newStart
    return hunk.lines.some(({ kind, newLine }) => {
      const at = newLine ?? next
      if (newLine !== null) next = newLine + 1
      return kind === "added" ? at >= line && at <= endLine : kind === "deleted" && at > line && at <= endLine
    })
  })
