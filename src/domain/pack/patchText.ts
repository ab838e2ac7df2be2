/** The lines of a changed file as git prints them, without the header of the file. */
import type { DiffFile } from "../change/Diff.ts"
import { whyUnread } from "../change/remote/whyUnread.ts"

const marks = { context: " ", added: "+", deleted: "-" }

export const patchText = ({ hunks }: DiffFile): string =>
  hunks
    .map(({ lines, newCount, newStart, oldCount, oldStart, section }) => {
      const head = `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@${section === "" ? "" : ` ${section}`}\n`
      return `${head}${lines.map(({ kind, noNewline, text }) => `${marks[kind]}${text}\n${noNewline ? missing : ""}`).join("")}`
    })
    .join("")

const missing = "\\ No newline at end of file\n"

/** One line on a file: `M src/a.ts +3 -1`, `R src/a.ts -> src/b.ts +0 -0`, with what its hunks do not show. */
export const statusLine = (file: DiffFile): string => {
  let added = 0
  let deleted = 0
  for (const { lines } of file.hunks) {
    for (const { kind } of lines) {
      if (kind === "added") added++
      else if (kind === "deleted") deleted++
    }
  }
  const isMoved = file.oldPath !== null && file.newPath !== null && file.oldPath !== file.newPath
  const names = isMoved ? `${file.oldPath} -> ${file.newPath}` : file.path
  const { newMode, oldMode } = file
  const isOtherMode = oldMode !== null && newMode !== null && oldMode !== newMode
  const notes = [
    isOtherMode ? `mode ${oldMode} -> ${newMode}` : null,
    whyUnread(file) ?? (file.binary ? "binary" : null)
  ].filter((note) => note !== null)
  const lines = file.tooLarge === undefined && !file.binary ? ` +${added} -${deleted}` : ""
  return `${letters[file.status]} ${names}${lines}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`
}

const letters: Readonly<Record<DiffFile["status"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  copied: "C",
  "type-changed": "T"
}
