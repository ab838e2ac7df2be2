/** Deletes a line that is a complete statement, unless its block would be empty. */
import type { LineSuggestion } from "../../domain/finding/Rule.ts"

const isCode = (text: string): boolean => /^\s*(?!\/\/|\/\*|\*|#)\S/.test(text)

const indentOf = (text: string | undefined): number | null =>
  text === undefined ? null : text.length - text.trimStart().length

export const deletedLine: LineSuggestion = (text, line, { head }) => {
  const indent = indentOf(text)
  const above = head?.slice(0, line - 1).findLast(isCode)
  const below = head?.slice(line).find(isCode)
  return indent === 0 || indentOf(above) === indent || indentOf(below) === indent ? "" : null
}
