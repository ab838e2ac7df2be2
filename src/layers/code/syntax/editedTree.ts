/** A copy of a tree with the edits that lead to another text, so that the parser can reuse the rest. */
import { Edit, type Point, type Tree } from "web-tree-sitter"
import type { PreviousText } from "../../../services/code/SyntaxParser.ts"

/** Null if the edits do not turn one text into the other. The caller frees the copy. */
export const editedTree = (tree: Tree, { edits, text: old }: PreviousText, text: string): Tree | null => {
  const before = lineStarts(old)
  const after = lineStarts(text)
  let shift = 0
  const shifted = edits.map((edit) => {
    const newRow = edit.row + shift
    shift += edit.added - edit.removed
    return { ...edit, newRow }
  })
  if (before.length + shift !== after.length) return null
  const copy = tree.copy()
  // From the bottom up, so that positions above an edit are still those of the old text.
  for (const { added, newRow, removed, row } of shifted.toReversed()) {
    const startIndex = startOf(before, row, old)
    const oldEndIndex = startOf(before, row + removed, old)
    const length = startOf(after, newRow + added, text) - startOf(after, newRow, text)
    const startPosition = { row, column: 0 }
    copy.edit(
      new Edit({
        startIndex,
        oldEndIndex,
        newEndIndex: startIndex + length,
        startPosition,
        oldEndPosition: pointAfter(startPosition, old.slice(startIndex, oldEndIndex)),
        newEndPosition: pointAfter(startPosition, text.substr(startOf(after, newRow, text), length))
      })
    )
  }
  return copy
}

const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/** The start of a row; the end of the text for a row after the last. */
const startOf = (starts: ReadonlyArray<number>, row: number, text: string): number => starts[row] ?? text.length

const pointAfter = ({ column, row }: Point, text: string): Point => {
  const last = text.lastIndexOf("\n")
  if (last < 0) return { row, column: column + text.length }
  let breaks = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) breaks++
  return { row: row + breaks, column: text.length - last - 1 }
}
