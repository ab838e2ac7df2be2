/**
 * A series of patches as one change: each path once, its lines counted in the state after the last patch.
 *
 * Exact where the patches follow each other. Otherwise the last patch is used and the file is `unread`.
 */
import type { Diff, DiffFile, DiffLine, Hunk } from "./Diff.ts"
import type { Patch } from "./parseDiff.ts"

/** A series in the order of a mailbox or, newest first, of `git log -p`; in doubt, the order in which all can be joined. */
export const foldPatches = (series: ReadonlyArray<Patch>): Diff => {
  const steps = stepsBack(series)
  const given = steps > 0 ? null : foldSeries(series)
  if (given !== null && (steps < 0 || !given.files.some(isInPart))) return given
  const reversed = foldSeries([...series].reverse())
  return given !== null && reversed.files.some(isInPart) ? given : reversed
}

/** How many more files a patch changes back to what the patch before it began with than on from what that one left. */
const stepsBack = (series: ReadonlyArray<Patch>): number => {
  const before = new Map<string, string>()
  const after = new Map<string, string>()
  let steps = 0
  for (const { blobs, files } of series) {
    for (const [at, { newPath, oldPath }] of files.entries()) {
      if (newPath !== null && blobs[at]!.after !== "" && before.get(newPath) === blobs[at]!.after) steps++
      if (oldPath !== null && blobs[at]!.before !== "" && after.get(oldPath) === blobs[at]!.before) steps--
    }
    for (const [at, { newPath, oldPath }] of files.entries()) {
      if (oldPath !== null) before.set(oldPath, blobs[at]!.before)
      if (newPath !== null) after.set(newPath, blobs[at]!.after)
    }
  }
  return steps
}

export const foldSeries = (series: ReadonlyArray<Diff>): Diff => {
  const [only] = series
  if (only !== undefined && series.length === 1) return only
  const files = new Map<string, DiffFile>()
  let left = mostLines
  for (const patch of series) {
    // Old names refer to the state before the patch, also if another file of the patch gets that name.
    const pairs = patch.files.map((file) => ({ file, before: files.get(file.oldPath ?? file.path) }))
    for (const { file } of pairs) if (file.status !== "copied") files.delete(file.oldPath ?? file.path)
    for (const { file, before } of pairs) {
      const isFree = files.get(file.path) === undefined
      if (before === undefined) {
        files.set(file.path, isFree ? file : inPart(file))
        continue
      }
      left -= sizeOf(before) + sizeOf(file)
      const follows = (before.newPath === null) === (file.oldPath === null)
      const composed = isFree && follows && left >= 0 ? compose(before, file) : null
      if (composed === null) files.set(file.path, inPart(file))
      else if (!isNothing(composed)) files.set(composed.path, composed)
    }
  }
  return { files: [...files.values()] }
}

/** A series that changes one file in every patch would take quadratic time. */
const mostLines = 20_000_000

const sizeOf = ({ hunks }: DiffFile): number => hunks.reduce((sum, hunk) => sum + hunk.lines.length, 1)

const notJoined =
  "earlier patches of the series change it too and could not be joined with the last: only that was reviewed"

const inPart = (file: DiffFile): DiffFile => ({ ...file, unread: notJoined })

const isInPart = ({ unread }: DiffFile): boolean => unread === notJoined

/** A file that was added and deleted, or whose edits were reverted. */
const isNothing = (file: DiffFile): boolean =>
  (file.oldPath === null && file.newPath === null) ||
  (file.status === "modified" && !file.binary && file.hunks.length === 0 && file.oldMode === file.newMode)

/** Two consecutive changes of one file as one; null if the second does not apply to the result of the first. */
const compose = (first: DiffFile, second: DiffFile): DiffFile | null => {
  if (first.status === "type-changed" || second.status === "type-changed") return null
  if (first.unread !== undefined || (first.binary && !second.binary && second.newPath !== null)) return null
  if (first.newOid !== null && second.oldOid !== null && first.newOid !== second.oldOid) return null
  const oldMode = first.oldMode ?? (first.oldPath === null ? null : second.oldMode)
  const newMode = second.newMode ?? (second.newPath === null ? null : first.newMode)
  if (oldMode !== null && newMode !== null && oldMode.slice(0, 3) !== newMode.slice(0, 3)) return null
  const binary = first.binary || second.binary
  const hunks = binary ? [] : composeHunks(first.hunks, second.hunks)
  if (hunks === null) return null
  const { oldPath } = first
  const { newPath } = second
  const moved = oldPath !== null && newPath !== null && oldPath !== newPath
  const copied = second.status === "copied" || first.status === "copied"
  return {
    status:
      oldPath === null ? "added" : newPath === null ? "deleted" : !moved ? "modified" : copied ? "copied" : "renamed",
    path: newPath ?? oldPath ?? second.path,
    oldPath,
    newPath,
    oldMode,
    newMode,
    oldOid: first.oldOid,
    newOid: second.newOid,
    binary,
    hunks,
    ...(second.unread === undefined ? {} : { unread: second.unread }),
    ...(second.tooLarge === undefined ? {} : { tooLarge: second.tooLarge })
  }
}

/** The lines between the two changes, by number: the result of the first, the base of the second. */
interface Middle {
  /** The lines that the change shows. */
  readonly lines: Map<number, DiffLine>
  /** Numbers of the lines that the first change added, or the second deleted. */
  readonly marked: Set<number>
  /** Lines that are only on the other side, by the number of the line that follows them. */
  readonly before: Map<number, Array<DiffLine>>
}

interface Span {
  readonly from: number
  /** The first line after it. */
  readonly to: number
}

type SideName = "old" | "new"

const spanOf = (hunk: Hunk, side: SideName): Span => {
  const start = side === "old" ? hunk.oldStart : hunk.newStart
  const count = side === "old" ? hunk.oldCount : hunk.newCount
  const from = count === 0 ? start + 1 : start
  return { from, to: from + count }
}

/** Reads the hunks from their new side (for the first change) or their old side (for the second). */
const middleOf = (hunks: ReadonlyArray<Hunk>, side: SideName): Middle => {
  const middle: Middle = { lines: new Map(), marked: new Set(), before: new Map() }
  for (const hunk of hunks) {
    let at = spanOf(hunk, side).from
    for (const line of hunk.lines) {
      if (line.kind === (side === "new" ? "deleted" : "added")) {
        const waiting = middle.before.get(at)
        if (waiting === undefined) middle.before.set(at, [line])
        else waiting.push(line)
        continue
      }
      middle.lines.set(at, line)
      if (line.kind !== "context") middle.marked.add(at)
      at++
    }
  }
  return middle
}

const composeHunks = (first: ReadonlyArray<Hunk>, second: ReadonlyArray<Hunk>): ReadonlyArray<Hunk> | null => {
  const firstMiddle = middleOf(first, "new")
  const secondMiddle = middleOf(second, "old")
  for (const [at, line] of secondMiddle.lines) {
    const known = firstMiddle.lines.get(at)
    if (known !== undefined && !isSame(known, line)) return null
  }
  const oldShift = shiftOf(first, "new")
  const newShift = shiftOf(second, "old")
  const hunks: Array<Hunk> = []
  for (const { from, to } of joined([
    ...first.map((hunk) => spanOf(hunk, "new")),
    ...second.map((hunk) => spanOf(hunk, "old"))
  ])) {
    const lines: Array<DiffLine> = []
    let removed: Array<DiffLine> = []
    let inserted: Array<DiffLine> = []
    const settle = () => {
      for (const line of changedLines(removed, inserted)) lines.push(line)
      removed = []
      inserted = []
    }
    for (let at = from; at <= to; at++) {
      for (const line of firstMiddle.before.get(at) ?? []) removed.push(line)
      for (const line of secondMiddle.before.get(at) ?? []) inserted.push(line)
      // There is no line at the end of the span, but there may be deleted or added lines before it.
      if (at === to) break
      const line = firstMiddle.lines.get(at) ?? secondMiddle.lines.get(at)
      if (line === undefined) return null
      const added = firstMiddle.marked.has(at)
      const deleted = secondMiddle.marked.has(at)
      if (added && deleted) continue
      if (added) inserted.push(line)
      else if (deleted) removed.push(line)
      else {
        settle()
        lines.push(line)
      }
    }
    settle()
    const hunk = numbered(lines, from + oldShift(from), from + newShift(from))
    if (hunk !== null) hunks.push(hunk)
  }
  return hunks
}

const isSame = (a: DiffLine, b: DiffLine): boolean =>
  a.text === b.text &&
  a.noNewline === b.noNewline &&
  (a.raw?.length ?? -1) === (b.raw?.length ?? -1) &&
  (a.raw ?? []).every((byte, at) => byte === b.raw?.[at])

/** Lines that were deleted and added again become context. */
const changedLines = (removed: ReadonlyArray<DiffLine>, inserted: ReadonlyArray<DiffLine>): ReadonlyArray<DiffLine> => {
  const most = Math.min(removed.length, inserted.length)
  let top = 0
  while (top < most && isSame(removed[top]!, inserted[top]!)) top++
  let bottom = 0
  while (bottom < most - top && isSame(removed[removed.length - 1 - bottom]!, inserted[inserted.length - 1 - bottom]!))
    bottom++
  const kind = (lines: ReadonlyArray<DiffLine>, kind: DiffLine["kind"]) => lines.map((line) => ({ ...line, kind }))
  return [
    ...kind(removed.slice(0, top), "context"),
    ...kind(removed.slice(top, removed.length - bottom), "deleted"),
    ...kind(inserted.slice(top, inserted.length - bottom), "added"),
    ...kind(removed.slice(removed.length - bottom), "context")
  ]
}

/** The offset of a line outside of hunks to its number on the other side; to be called with ascending lines. */
const shiftOf = (hunks: ReadonlyArray<Hunk>, side: SideName): ((line: number) => number) => {
  let next = 0
  let shift = 0
  return (line) => {
    for (; next < hunks.length && spanOf(hunks[next]!, side).to < line; next++) {
      shift = spanOf(hunks[next]!, side === "new" ? "old" : "new").to - spanOf(hunks[next]!, side).to
    }
    return shift
  }
}

/** Joins spans that overlap or are adjacent; ascending. */
const joined = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const apart: Array<Span> = []
  for (const span of [...spans].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = apart[apart.length - 1]
    if (last !== undefined && span.from <= last.to) {
      apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    } else apart.push(span)
  }
  return apart
}

/** A hunk of these lines; null if it changes nothing. */
const numbered = (lines: ReadonlyArray<DiffLine>, oldFrom: number, newFrom: number): Hunk | null => {
  if (lines.every((line) => line.kind === "context")) return null
  let oldLine = oldFrom
  let newLine = newFrom
  const placed = lines.map((line) => ({
    ...line,
    oldLine: line.kind === "added" ? null : oldLine++,
    newLine: line.kind === "deleted" ? null : newLine++
  }))
  const oldCount = oldLine - oldFrom
  const newCount = newLine - newFrom
  return {
    oldStart: oldCount === 0 ? oldFrom - 1 : oldFrom,
    oldCount,
    newStart: newCount === 0 ? newFrom - 1 : newFrom,
    newCount,
    section: "",
    lines: placed
  }
}
