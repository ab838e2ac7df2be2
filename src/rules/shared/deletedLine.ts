/** Deletes a line that is a complete statement, unless its block would be empty or it may be part of a text. */
import type { LineSuggestion } from "../../domain/finding/Rule.ts"

const isCode = (text: string): boolean => /^\s*(?!\/\/|\/\*|\*|#)\S/.test(text)

const indentOf = (text: string | undefined): number | null =>
  text === undefined ? null : text.length - text.trimStart().length

/** Is a text of several lines open above the line? */
const mayBeText = (above: ReadonlyArray<string>): boolean => {
  const text = above.join("\n")
  return ['"""', "'''", "`"].some((quote) => text.split(quote).length % 2 === 0)
}

export const deletedLine: LineSuggestion = (text, line, { head }) => {
  if (mayBeText(head?.slice(0, line - 1) ?? [])) return null
  const indent = indentOf(text)
  const above = head?.slice(0, line - 1).findLast(isCode)
  const below = head?.slice(line).find(isCode)
  return indent === 0 || indentOf(above) === indent || indentOf(below) === indent ? "" : null
}
