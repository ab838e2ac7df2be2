import type { DiffFile } from "../change/Diff.ts"

/** The head-side line at the position of a base-side line. */
export const headLine = (file: DiffFile, oldLine: number): number => {
  let shift = 0
  for (const hunk of file.hunks) {
    if (hunk.oldStart > oldLine) break
    let last = hunk.newStart
    for (const { newLine, oldLine: old } of hunk.lines) {
      if (old !== null && old >= oldLine) return Math.max(1, newLine ?? last)
      last = newLine ?? last
    }
    shift = hunk.newStart + hunk.newCount - hunk.oldStart - hunk.oldCount
  }
  return Math.max(1, oldLine + shift)
}
