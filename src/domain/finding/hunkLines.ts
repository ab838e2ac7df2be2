import type { DiffFile } from "../change/Diff.ts"

/** The lines in the hunks of a file, by number: on the head side, or on the base side of a deleted file. */
export const hunkLines = ({ hunks, status }: DiffFile): ReadonlyMap<number, string> => {
  const side = status === "deleted" ? "oldLine" : "newLine"
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return new Map(lines.flatMap(({ [side]: number, text }) => (number === null ? [] : [[number, text] as const])))
}
