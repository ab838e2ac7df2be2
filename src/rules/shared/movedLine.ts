/** Was this added line only moved? True when the same text, but for its indentation, is deleted elsewhere in the file. */

import type { DiffFile } from "../../domain/change/Diff.ts"
import type { RuleFile } from "../../domain/finding/Rule.ts"

const deletedTexts = new WeakMap<DiffFile, ReadonlySet<string>>()

export const isMovedLine = (file: RuleFile, text: string): boolean => {
  let deleted = deletedTexts.get(file.diff)
  if (deleted === undefined) {
    deleted = new Set(
      file.diff.hunks.flatMap((hunk) =>
        hunk.lines.filter((line) => line.kind === "deleted").map((line) => line.text.trim())
      )
    )
    deletedTexts.set(file.diff, deleted)
  }
  return deleted.has(text.trim())
}
