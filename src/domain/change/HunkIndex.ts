/**
 * Finds whether a head-side line is in the diff, in time logarithmic in the number of the file's hunks.
 *
 * Lines count from 1. A path that is not in the diff, and the old path of a renamed file, are in no hunk.
 */
import { lastAtMost } from "../text/lastAtMost.ts"
import type { Diff, DiffFile } from "./Diff.ts"

interface Lines {
  /** First and last head line of each hunk, ascending and disjoint. */
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  readonly added: ReadonlySet<number>
}

const none: Lines = { starts: [], ends: [], added: new Set() }

export class HunkIndex {
  readonly #files: ReadonlyMap<string, Lines>

  constructor(diff: Diff) {
    const ranges = new Map<string, Array<readonly [start: number, end: number]>>()
    const added = new Map<string, Set<number>>()
    for (const file of diff.files) {
      // A hand-made diff may contain a path more than once.
      const spans = ranges.get(file.path) ?? []
      const lines = added.get(file.path) ?? new Set()
      for (const hunk of file.hunks) {
        if (hunk.newCount > 0) spans.push([hunk.newStart, hunk.newStart + hunk.newCount - 1])
        for (const line of hunk.lines) if (line.kind === "added") lines.add(line.newLine!)
      }
      ranges.set(file.path, spans)
      added.set(file.path, lines)
    }
    this.#files = new Map(
      [...ranges].map(([path, spans]) => [path, { ...disjoint(spans), added: added.get(path) ?? none.added }])
    )
  }

  /** Is the head line an added or a context line of a hunk? */
  contains(path: string, line: number): boolean {
    const { starts, ends } = this.#lines(path)
    const at = lastAtMost(starts, line)
    return at >= 0 && line <= ends[at]!
  }

  isAdded(path: string, line: number): boolean {
    return this.#lines(path).added.has(line)
  }

  /** The closest line of a hunk (the earlier one of two at the same distance); null if the file has none. */
  nearest(path: string, line: number): number | null {
    const { starts, ends } = this.#lines(path)
    const at = lastAtMost(starts, line)
    const before = at < 0 ? null : Math.min(ends[at]!, line)
    const after = starts[at + 1] ?? null
    if (before === null || after === null) return before ?? after
    return line - before <= after - line ? before : after
  }

  #lines(path: string): Lines {
    return this.#files.get(path) ?? none
  }
}

const disjoint = (spans: ReadonlyArray<readonly [number, number]>): Pick<Lines, "starts" | "ends"> => {
  const starts: Array<number> = []
  const ends: Array<number> = []
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = ends.length - 1
    if (last >= 0 && start <= ends[last]!) ends[last] = Math.max(ends[last]!, end)
    else {
      starts.push(start)
      ends.push(end)
    }
  }
  return { starts, ends }
}

/** Does the change add or delete a line in this range of the head side? */
export const touchedBy = ({ hunks }: DiffFile, line: number, endLine: number): boolean =>
  hunks.some((hunk) => {
    // The next line of the head side: the position of a deleted line.
    let next = hunk.newCount === 0 ? hunk.newStart + 1 : hunk.newStart
    return hunk.lines.some(({ kind, newLine }) => {
      const at = newLine ?? next
      if (newLine !== null) next = newLine + 1
      return kind === "added" ? at >= line && at <= endLine : kind === "deleted" && at > line && at <= endLine
    })
  })

const linesOfFiles = new WeakMap<DiffFile, Record<"added" | "deleted", ReadonlySet<number>>>()

/** The lines of the head side that the change adds, and those of the base side that it deletes. */
export const changedLines = (file: DiffFile): Record<"added" | "deleted", ReadonlySet<number>> => {
  const known = linesOfFiles.get(file)
  if (known !== undefined) return known
  const [added, deleted] = [new Set<number>(), new Set<number>()]
  for (const { kind, newLine, oldLine } of file.hunks.flatMap(({ lines }) => lines)) {
    if (kind === "added" && newLine !== null) added.add(newLine)
    if (kind === "deleted" && oldLine !== null) deleted.add(oldLine)
  }
  const found = { added, deleted }
  linesOfFiles.set(file, found)
  return found
}
