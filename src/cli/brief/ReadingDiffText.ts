/** The diff in reading order, as text; lines that are only form are folded to one. */
import { placeText } from "../../domain/brief/briefLines.ts"
import type { Form, FormalHunk } from "../../domain/brief/Form.ts"
import { type ReadingLine, readingDiff } from "../../domain/brief/readingDiff.ts"
import type { Diff } from "../../domain/change/Diff.ts"
import { visibleCode, visiblePath } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import type { Redactor } from "../../services/secret/Redactor.ts"
import { inkFor } from "../text/Ink.ts"

/** One line for each line that is shown. Code keeps its width, so that it can be pasted. */
export const readingDiffText = (
  diff: Diff,
  form: Form,
  redactor: Pick<Redactor["Service"], "lines">,
  colour: boolean
): ReadonlyArray<string> => {
  const ink = inkFor(colour)
  const all = readingDiff(diff, form)
  // All lines at once, for keys that span lines.
  const texts = redactor.lines(all.map((line) => (line.kind === "folded" ? "" : line.text)))
  const shown = (line: ReadingLine, at: number): ReadonlyArray<string> => {
    const text = texts[at] ?? ""
    switch (line.kind) {
      case "file":
        return [...(at === 0 ? [] : [""]), ink.bold(visiblePath(line.text))]
      case "hunk":
        return [ink.dim(visibleCode(text))]
      case "folded":
        return [ink.dim(`  … ${foldedText(line)}`)]
      case "context":
        return [` ${visibleCode(text)}`]
      case "added":
        return [ink.added(`+${visibleCode(text)}`)]
      case "deleted":
        return [ink.deleted(`-${visibleCode(text)}`)]
    }
  }
  return all.flatMap(shown)
}

const foldedText = ({ added, deleted, hunks }: Extract<ReadingLine, { kind: "folded" }>): string => {
  const counts = [
    ...(added === 0 ? [] : [`${plural(added, "added line")}`]),
    ...(deleted === 0 ? [] : [`${plural(deleted, "deleted line")}`])
  ]
  return `${counts.join(" and ")}: ${[...new Set(hunks.map(formText))].join(", ")}`
}

const formText = ({ form, from, to }: FormalHunk): string => {
  if (from !== null) return `moved from ${visiblePath(placeText(from))}`
  if (to !== null) return `moved to ${visiblePath(placeText(to))}`
  return form === "imports" ? "order of imports" : form
}
