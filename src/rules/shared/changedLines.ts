/** What a change does to lines and files. */

import type { DiffFile } from "../../domain/change/Diff.ts"
import type { RuleFile } from "../../domain/finding/Rule.ts"
import { rememberedFor } from "./rememberedFor.ts"

const deletedTexts = rememberedFor(
  (diff: DiffFile): ReadonlySet<string> =>
    new Set(
      diff.hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "deleted").map(({ text }) => text.trim()))
    )
)

/** Does the change only move this added line? True if it deletes the same text, but for its indentation, from the file. */
export const isMovedLine = ({ diff }: RuleFile, text: string): boolean => deletedTexts(diff).has(text.trim())

/** Does the change touch the contents of the file? */
export const isTouched = ({ diff }: RuleFile): boolean =>
  diff.status !== "modified" || diff.binary || diff.hunks.length > 0
