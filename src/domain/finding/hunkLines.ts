import type { DiffFile } from "../change/Diff.ts"

/** The lines of a file that its hunks show, by number: after the change, or before it if the file is deleted. */
export const hunkLines = ({ hunks, status }: DiffFile): ReadonlyMap<number, string> => {
  const side = status === "deleted" ? "oldLine" : "newLine"
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return new Map(lines.flatMap(({ [side]: number, text }) => (number === null ? [] : [[number, text] as const])))
}
