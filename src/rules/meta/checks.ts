/** The checks of the rules whose ids begin with `meta/`. */

import { isTestFile } from "../../domain/change/TestFile.ts"
import type { RuleFile } from "../../domain/finding/Rule.ts"
import type { LineChecks } from "../page/Checks.ts"

/** The maximum number of lines of a conflict that are searched. */
const longestConflict = 2_000

// The markers are computed, so that this file does not contain a conflict.
const open = "<".repeat(7)

const split = "=".repeat(7)

const close = ">".repeat(7)

/** The line of the closing marker, if the markers are in order without a second opening one. */
const conflictEnd = (file: RuleFile, from: number): number | null => {
  let middleSeen = false
  for (const [line, text] of headLines(file, from + 1)) {
    if (line > from + longestConflict || text.startsWith(open)) return null
    if (text === split) middleSeen = true
    else if (text.startsWith(close)) return middleSeen ? line : null
  }
  return null
}

/** Head-side lines from a line on; for a bare patch, the lines in the hunks. */
function* headLines(file: RuleFile, from: number): Generator<readonly [number, string]> {
  if (file.head !== null) {
    for (let i = from; i <= file.head.length; i++) yield [i, file.head[i - 1]!]
    return
  }
  for (const hunk of file.diff.hunks) {
    for (const { newLine, text } of hunk.lines) if (newLine !== null && newLine >= from) yield [newLine, text]
  }
}

export const lineChecks: LineChecks = {
  "conflict-marker": (text, line, file) => {
    if (!text.startsWith(open) || (text.length > 7 && text[7] !== " ")) return false
    if (isTestFile(file.path) || /\.(?:md|mdx|rst|adoc|txt)$/i.test(file.path)) return false
    const endLine = conflictEnd(file, line)
    return endLine === null
      ? false
      : { line, column: 1, endLine, endColumn: (file.head?.[endLine - 1] ?? close).length + 1 }
  }
}
