/** Redacts a file of a diff: its names and lines. */
import type { DiffFile, DiffLine } from "../../domain/change/Diff.ts"

/** The lines of a whole file, and the same redacted. */
export interface SideLines {
  readonly raw: ReadonlyArray<string>
  readonly redacted: ReadonlyArray<string>
}

/**
 * The lines of each side are redacted as one text, so that a key across several lines is found. With the whole files, also
 * one that begins above a hunk.
 */
export const redactedFile = (
  file: DiffFile,
  redacted: (lines: ReadonlyArray<string>) => ReadonlyArray<string>,
  whole: { readonly before: SideLines | null; readonly after: SideLines | null } = { before: null, after: null }
): DiffFile => {
  const path = (name: string): string => redacted(name.split("\n")).join("\n")
  const hiddenAt = (side: SideLines | null, number: number | null): string | undefined => {
    if (side === null || number === null) return undefined
    const shown = side.redacted[number - 1]
    return shown === side.raw[number - 1] ? undefined : shown
  }
  /** The section is the start of a line above the hunk. */
  const isHidden = (section: string): boolean =>
    section !== "" &&
    [whole.before, whole.after].some((side) =>
      side?.raw.some((line, at) => line.startsWith(section) && line !== side.redacted[at])
    )
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const after = redacted(lines.flatMap(({ kind, text }) => (kind === "deleted" ? [] : [text])))
  const before = redacted(lines.flatMap(({ kind, text }) => (kind === "added" ? [] : [text])))
  const at = { after: 0, before: 0 }
  const shown = (line: DiffLine): DiffLine => {
    const old = line.kind === "added" ? undefined : before[at.before++]
    const now = line.kind === "deleted" ? undefined : after[at.after++]
    const hidden = line.kind === "deleted" ? hiddenAt(whole.before, line.oldLine) : hiddenAt(whole.after, line.newLine)
    return { ...line, raw: null, text: hidden ?? now ?? old ?? "" }
  }
  return {
    ...file,
    path: path(file.path),
    oldPath: file.oldPath === null ? null : path(file.oldPath),
    newPath: file.newPath === null ? null : path(file.newPath),
    hunks: file.hunks.map((hunk) => ({
      ...hunk,
      section: isHidden(hunk.section) ? "" : (redacted([hunk.section])[0] ?? ""),
      lines: hunk.lines.map(shown)
    }))
  }
}
