/** Redacts a file of a diff: its names and lines. */
import type { DiffFile, DiffLine } from "../../domain/change/Diff.ts"

/** Each side is redacted as one text, so that a key across several lines is found. */
export const redactedFile = (
  file: DiffFile,
  redacted: (lines: ReadonlyArray<string>) => ReadonlyArray<string>
): DiffFile => {
  const path = (name: string): string => redacted([name])[0] ?? ""
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const after = redacted(lines.flatMap(({ kind, text }) => (kind === "deleted" ? [] : [text])))
  const before = redacted(lines.flatMap(({ kind, text }) => (kind === "added" ? [] : [text])))
  const at = { after: 0, before: 0 }
  const shown = (line: DiffLine): DiffLine => {
    const old = line.kind === "added" ? undefined : before[at.before++]
    const now = line.kind === "deleted" ? undefined : after[at.after++]
    return { ...line, raw: null, text: now ?? old ?? "" }
  }
  return {
    ...file,
    path: path(file.path),
    oldPath: file.oldPath === null ? null : path(file.oldPath),
    newPath: file.newPath === null ? null : path(file.newPath),
    hunks: file.hunks.map((hunk) => ({
      ...hunk,
      section: redacted([hunk.section])[0] ?? "",
      lines: hunk.lines.map(shown)
    }))
  }
}
