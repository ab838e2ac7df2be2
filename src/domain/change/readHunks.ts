/** The hunks of one file in a unified diff, checked against the counts in their headers. */
import { Schema } from "effect"
import type { DiffLine, Hunk } from "./Diff.ts"

export class DiffMalformed extends Schema.TaggedError<DiffMalformed>()("DiffMalformed", {
  /** From 1, in the given diff. */
  line: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `cannot read the diff at line ${this.line}: ${this.reason}`
  }
}

export interface Lines {
  readonly lines: ReadonlyArray<string>
  /** Bytes of the lines that are not UTF-8. */
  readonly raw: ReadonlyMap<number, Uint8Array>
}

export const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

export const hunkHeader = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@ ?(.*)$/s

const SPACE = 32
const PLUS = 43
const MINUS = 45
const BACKSLASH = 92

interface Position {
  /** Index of the next line of the diff. */
  readonly at: number
  /** The last lines of both sides in the hunks so far. */
  readonly oldEnd: number
  readonly newEnd: number
}

export const readHunks = (
  input: Lines,
  start: number
): { readonly hunks: ReadonlyArray<Hunk>; readonly next: number } | DiffMalformed => {
  const hunks: Array<Hunk> = []
  let position: Position = { at: start, oldEnd: 0, newEnd: 0 }
  while (input.lines[position.at]?.startsWith("@@ ") === true) {
    const read = readHunk(input, position)
    if (read instanceof DiffMalformed) return read
    hunks.push(read.hunk)
    position = read
  }
  if (hunks.length === 0) return malformed(start - 1, "no hunk follows the file's names")
  return { hunks, next: position.at }
}

/** `at`: an index of the lines of the diff. */
const malformed = (at: number, reason: string) => new DiffMalformed({ line: at + 1, reason })

const readHunk = (
  { lines, raw }: Lines,
  { at: headerAt, newEnd, oldEnd }: Position
): (Position & { readonly hunk: Hunk }) | DiffMalformed => {
  const head = hunkHeader.exec(lines[headerAt]!)
  if (head === null) return malformed(headerAt, `"${cut(lines[headerAt]!)}" is not a hunk header`)
  const begun = `the hunk that begins at line ${headerAt + 1}`
  const oldStart = Number(head[1])
  const oldCount = Number(head[2] ?? 1)
  const newStart = Number(head[3])
  const newCount = Number(head[4] ?? 1)
  // With a count of 0, the start is the line before the gap.
  let oldLine = oldCount === 0 ? oldStart + 1 : oldStart
  let newLine = newCount === 0 ? newStart + 1 : newStart
  if (oldLine <= oldEnd || newLine <= newEnd) {
    return malformed(headerAt, "a hunk begins before the one above it ends")
  }
  const body: Array<DiffLine> = []
  const oldStop = oldLine + oldCount
  const newStop = newLine + newCount
  let at = headerAt + 1
  while (oldLine < oldStop || newLine < newStop) {
    const line = lines[at]
    if (line === undefined) {
      return malformed(at - 1, `the diff ends inside the hunk that begins at line ${headerAt + 1}`)
    }
    // Mail programs drop the space of an empty context line; git accepts that, too.
    const mark = line === "" || line === "\r" ? SPACE : line.charCodeAt(0)
    const inOld = mark === SPACE || mark === MINUS
    const inNew = mark === SPACE || mark === PLUS
    if (!inOld && !inNew) return malformed(at, `"${cut(line)}" is not a line of ${begun}`)
    if ((inOld && oldLine >= oldStop) || (inNew && newLine >= newStop)) {
      return malformed(at, `${begun} has other lines than its header counts`)
    }
    const bytes = raw.get(at)
    const noNewline = lines[at + 1]?.charCodeAt(0) === BACKSLASH
    body.push({
      kind: inOld ? (inNew ? "context" : "deleted") : "added",
      oldLine: inOld ? oldLine++ : null,
      newLine: inNew ? newLine++ : null,
      text: line === "\r" ? line : line.slice(1),
      raw: bytes === undefined ? null : bytes.subarray(1),
      noNewline
    })
    at += noNewline ? 2 : 1
  }
  const next = lines[at]
  if (next !== undefined && isStrayLine(next)) return malformed(at, `${begun} has more lines than its header counts`)
  const section = (head[5] ?? "").trimEnd()
  return {
    at,
    oldEnd: oldStop - 1,
    newEnd: newStop - 1,
    hunk: { oldStart, oldCount, newStart, newCount, section, lines: body }
  }
}

/** Looks like a further line of the hunk, and is neither the next file nor a mail signature. */
const isStrayLine = (line: string): boolean => {
  const mark = line.charCodeAt(0)
  if (mark !== PLUS && mark !== MINUS && mark !== SPACE) return false
  return line.trimEnd() !== "--" && !line.startsWith("--- ")
}
