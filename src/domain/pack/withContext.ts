/**
 * A part of a file's diff with more unchanged lines around it. Unchanged lines are the same on both sides, so a hunk that has
 * every line of a function shows the function before and after the change, each line once.
 */
import type { DiffFile, DiffLine, Hunk } from "../change/Diff.ts"
import type { LineRange } from "./excerpt.ts"

/**
 * `part`: some hunks of `whole`, or parts of them. `lines`: the text of the head side. `ranges`: the lines of it to show as far
 * as they are unchanged. Null if the text is not the one of the diff.
 */
export const withContext = (
  whole: DiffFile,
  part: DiffFile,
  lines: ReadonlyArray<string>,
  ranges: ReadonlyArray<LineRange>
): DiffFile | null => {
  const isWanted = new Set<number>()
  for (const { first, last } of ranges)
    for (let line = Math.max(1, first); line <= Math.min(last, lines.length); line++) isWanted.add(line)
  const isOwn = new Set(part.hunks.flatMap((hunk) => hunk.lines.map(keyOf)))
  const groups: Array<Array<DiffLine>> = []
  let isOpen = false
  const add = (line: DiffLine) => {
    const isShown = isOwn.has(keyOf(line)) || (line.kind === "context" && isWanted.has(line.newLine ?? 0))
    if (isShown && isOpen) groups.at(-1)!.push(line)
    else if (isShown) groups.push([line])
    isOpen = isShown
  }
  let next = 1
  let shift = 0
  const addUntil = (end: number) => {
    for (; next < end; next++) add(contextLine(next, next + shift, lines[next - 1] ?? ""))
  }
  for (const hunk of whole.hunks) {
    // A side without lines starts after the line that its header names.
    addUntil(hunk.newCount === 0 ? hunk.newStart + 1 : hunk.newStart)
    for (const line of hunk.lines) {
      if (line.newLine !== null && withoutReturn(line.text) !== withoutReturn(lines[line.newLine - 1] ?? ""))
        return null
      add(line)
    }
    next += hunk.newCount
    shift += hunk.oldCount - hunk.newCount
  }
  addUntil(lines.length + 1)
  const started = new Map(part.hunks.flatMap((hunk) => hunk.lines.slice(0, 1).map((line) => [keyOf(line), hunk])))
  return { ...part, hunks: groups.map((group) => hunkOf(group, started.get(keyOf(group[0]!)))) }
}

const keyOf = ({ kind, newLine, oldLine }: DiffLine): string => `${kind} ${oldLine} ${newLine}`

const withoutReturn = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text)

const contextLine = (newLine: number, oldLine: number, text: string): DiffLine => ({
  kind: "context",
  oldLine,
  newLine,
  text,
  raw: null,
  noNewline: false
})

/** `before`: the hunk that started with the same line. */
const hunkOf = (lines: ReadonlyArray<DiffLine>, before: Hunk | undefined): Hunk => {
  const numbers = (side: "newLine" | "oldLine") => lines.flatMap((line) => line[side] ?? [])
  const [old, now] = [numbers("oldLine"), numbers("newLine")]
  return {
    oldStart: old[0] ?? before?.oldStart ?? 0,
    oldCount: old.length,
    newStart: now[0] ?? before?.newStart ?? 0,
    newCount: now.length,
    section: before?.section ?? "",
    lines
  }
}
