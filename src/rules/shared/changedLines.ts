/** What a change does to lines and files. */

import type { DiffFile } from "../../domain/change/Diff.ts"
import type { RuleFile } from "../../domain/finding/Rule.ts"

const deletedTexts = new WeakMap<DiffFile, ReadonlySet<string>>()

/** Does the change only move this added line? True if it deletes the same text, but for its indentation, from the file. */
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

/** Does the change touch the contents of the file? */
export const isTouched = ({ diff }: RuleFile): boolean =>
  diff.status !== "modified" || diff.binary || diff.hunks.length > 0
