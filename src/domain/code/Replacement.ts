/** Replacements of nodes, and the text of lines after them. */
import type { SyntaxNode } from "./Syntax.ts"

/** A node and the text that replaces it; "" deletes the node, and its line if nothing else is on it. */
export interface Replacement {
  readonly node: SyntaxNode
  readonly text: string
}

/**
 * The text of these lines (from 1) after the replacements; undefined if there is none, if one changes other lines, or if
 * two overlap. `file`: its lines without line ends.
 */
export const textAfter = (
  replacements: ReadonlyArray<Replacement>,
  { line, endLine }: { readonly line: number; readonly endLine: number },
  file: ReadonlyArray<string>
): string | undefined => {
  if (replacements.length === 0) return undefined
  const nodes = replacements.map(({ node }) => node)
  const first = Math.min(line, ...nodes.map(({ startPosition }) => startPosition.row + 1))
  const last = Math.max(endLine, ...nodes.map(({ endPosition }) => endPosition.row + 1))
  const lines = file.slice(first - 1, last)
  const indexOf = ({ row, column }: SyntaxNode["startPosition"]) =>
    lines.slice(0, row + 1 - first).reduce((sum, { length }) => sum + length + 1, column)

  let text = lines.join("\n")
  let changedFrom = Number.POSITIVE_INFINITY
  const changes = replacements
    .map((each) => changeOf(each, indexOf(each.node.startPosition)))
    .sort((a, b) => b.start - a.start)
  for (const { start, from, to } of changes) {
    if (start + from.length > changedFrom || !text.startsWith(from, start)) return undefined
    text = text.slice(0, start) + to + text.slice(start + from.length)
    if (to === "") text = withoutBlankLine(text, start)
    changedFrom = start
  }

  const after = text === "" ? [] : text.split("\n")
  const [above, below] = [line - first, last - endLine]
  const isOutside = (all: ReadonlyArray<string>) => [...all.slice(0, above), ...all.slice(all.length - below)]
  if (isOutside(lines).join("\n") !== isOutside(after).join("\n")) return undefined
  return after.slice(above, after.length - below).join("\n")
}

/** The lines (from 1) whose text a replacement changes. */
export const changedLines = (replacement: Replacement): { readonly line: number; readonly endLine: number } => {
  const { from, start } = changeOf(replacement, 0)
  const lineAt = (end: number) =>
    replacement.node.startPosition.row + replacement.node.text.replaceAll("\r\n", "\n").slice(0, end).split("\n").length
  return { line: lineAt(start), endLine: lineAt(start + from.length) }
}

/** What a replacement changes, without the text that stays at its beginning and its end. */
const changeOf = ({ node, text }: Replacement, index: number) => {
  const [from, to] = [node.text, text].map((each) => each.replaceAll("\r\n", "\n")) as [string, string]
  const shortest = Math.min(from.length, to.length)
  let start = 0
  while (start < shortest && from[start] === to[start]) start++
  let end = 0
  while (end < shortest - start && from.at(-1 - end) === to.at(-1 - end)) end++
  return { start: index + start, from: from.slice(start, from.length - end), to: to.slice(start, to.length - end) }
}

/** Without the line at this index, if it is blank. */
const withoutBlankLine = (text: string, index: number): string => {
  const start = text.slice(0, index).lastIndexOf("\n") + 1
  const newline = text.indexOf("\n", index)
  const end = newline < 0 ? text.length : newline
  if (text.slice(start, end).trim() !== "") return text
  return newline < 0 ? text.slice(0, Math.max(0, start - 1)) : text.slice(0, start) + text.slice(end + 1)
}
