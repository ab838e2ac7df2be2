/** Replacements of whole lines of one file. */
import { Result } from "effect"
import type { Finding } from "../finding/Finding.ts"
import { anyMarker } from "../text/Mask.ts"
import { plural } from "../text/plural.ts"

export interface Edit {
  /** From 1, both inclusive. */
  readonly line: number
  readonly endLine: number
  /** The new lines without the last line break; "" deletes the lines. */
  readonly text: string
}

/** The edit that a finding suggests; null if it suggests none that can be applied as it stands. */
export const editOf = ({ endLine, line, suggestion }: Finding): Edit | null =>
  suggestion === null || line < 1 || anyMarker.test(suggestion) ? null : { line, endLine, text: suggestion }

/**
 * Edits that overlap are refused unless they are equal, as are lines that the text does not have. The line ends are those of
 * the text.
 */
export const applyEdits = (text: string, edits: ReadonlyArray<Edit>): Result.Result<string, string> => {
  const lines = text.split("\n")
  const count = text.endsWith("\n") ? lines.length - 1 : lines.length
  const different = edits.filter((edit, at) => edits.findIndex((other) => isSame(edit, other)) === at)
  const sorted = different.toSorted((a, b) => a.line - b.line)
  let end = 0
  for (const { endLine, line } of sorted) {
    if (endLine < line || endLine > count) return Result.fail(`the file has ${plural(count, "line")}, not ${endLine}`)
    if (line <= end) return Result.fail(`another fix changes line ${line}`)
    end = endLine
  }
  for (const edit of sorted.toReversed()) {
    const isCarriage = lines[edit.line - 1]?.endsWith("\r") === true
    const fresh = edit.text === "" ? [] : edit.text.replaceAll("\r\n", "\n").split("\n")
    lines.splice(
      edit.line - 1,
      edit.endLine - edit.line + 1,
      ...(isCarriage ? fresh.map((line) => `${line}\r`) : fresh)
    )
  }
  return Result.succeed(lines.join("\n"))
}

const isSame = (a: Edit, b: Edit): boolean => a.line === b.line && a.endLine === b.endLine && a.text === b.text
