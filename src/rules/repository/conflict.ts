/** Merge conflicts that were committed with their markers. */

import { isTestFile } from "../../domain/change/TestFile.ts"
import type { LineRule, RuleFile } from "../../domain/finding/Rule.ts"

/** A conflict longer than this is not looked through; real ones are far shorter. */
const longestConflict = 2_000

const markerTrio = (start: string, middle: string, end: string) => `${start}\nours()\n${middle}\ntheirs()\n${end}\n`
// The markers are put together, so that this file does not hold a conflict itself.
const open = "<".repeat(7)
const base = "|".repeat(7)
const split = "=".repeat(7)
const close = ">".repeat(7)

export const conflictRules: ReadonlyArray<LineRule> = [
  {
    _tag: "Line",
    id: "meta/conflict-marker",
    stack: "generic",
    severity: "high",
    confidence: "HIGH",
    title: "Merge conflict markers are left in the file",
    why: "Git left both sides of the conflict here, so the file no longer means what either side meant; most compilers refuse it.",
    fix: "Choose or combine the two sides and delete the marker lines.",
    reference: "https://git-scm.com/docs/git-merge#_how_conflicts_are_presented",
    inTests: true,
    check: (text, line, file) => {
      if (!text.startsWith(open) || (text.length > 7 && text[7] !== " ")) return false
      if (isTestFile(file.path) || /\.(?:md|mdx|rst|adoc|txt)$/i.test(file.path)) return false
      const endLine = conflictEnd(file, line)
      return endLine === null ? false : { line, endLine }
    },
    examples: {
      path: "src/app.py",
      bad: [
        markerTrio(`${open} HEAD`, split, `${close} feature`),
        markerTrio(`${open} Updated upstream`, `${base} base\nold()\n${split}`, `${close} Stashed changes`),
        `a = 1\n${markerTrio(open, split, close)}b = 2\n`
      ],
      good: [
        `Title\n${split}\n\ntext\n`,
        `${open} HEAD\nonly an opening\n`,
        `${open} HEAD\nno middle\n${close} feature\n`,
        `${close} feature\n${split}\n${open} HEAD\n`,
        markerTrio(`x = "${open} HEAD"`, split, `"${close} feature"`)
      ]
    }
  }
]

/** The line of the closing marker, when the markers stand in order with no second opening between them. */
const conflictEnd = (file: RuleFile, from: number): number | null => {
  let middleSeen = false
  for (const [line, text] of headLines(file, from + 1)) {
    if (line > from + longestConflict || text.startsWith(open)) return null
    if (text === split) middleSeen = true
    else if (text.startsWith(close)) return middleSeen ? line : null
  }
  return null
}

/** Head lines from a line on; of a bare patch, those the hunks show. */
function* headLines(file: RuleFile, from: number): Generator<readonly [number, string]> {
  if (file.head !== null) {
    for (let i = from; i <= file.head.length; i++) yield [i, file.head[i - 1]!]
    return
  }
  for (const hunk of file.diff.hunks) {
    for (const { newLine, text } of hunk.lines) if (newLine !== null && newLine >= from) yield [newLine, text]
  }
}
