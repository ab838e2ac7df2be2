/** The unchanged lines that may be shown around the changes of a file, and which of them are. */
import type { DiffFile } from "../change/Diff.ts"
import type { LineRange, Part } from "./excerpt.ts"

export interface DiffWidths {
  readonly narrow: DiffFile
  /** The most useful first: definitions around the changes; very long ones; all lines of the file, not for tests. */
  readonly around: ReadonlyArray<ReadonlyArray<Part>>
  /** The diff with these lines; null if they are not known. */
  readonly showing: (ranges: ReadonlyArray<LineRange>) => DiffFile | null
}

/**
 * The widest diffs that fit: first the definitions of all files, then very long ones, then whole files; each in the order of
 * `rank`, short ones first. `tokensOf`: of a diff; the narrow ones are not counted.
 */
export const widestOf = (
  files: ReadonlyArray<DiffWidths>,
  room: number,
  rank: (file: DiffFile) => number,
  tokensOf: (file: DiffFile) => number
): ReadonlyArray<DiffFile> => {
  const chosen = files.map(({ narrow }) => ({ diff: narrow, tokens: tokensOf(narrow), ranges: [] as Part }))
  const levels = Math.max(0, ...files.map(({ around }) => around.length))
  let left = room
  for (let level = 0; level < levels; level++) {
    const steps = files.flatMap((file, at) =>
      (file.around[level] ?? []).map((part) => ({ file, part, at, length: lengthOf(part), rank: rank(file.narrow) }))
    )
    for (const { at, file, part } of steps.toSorted((a, b) => a.rank - b.rank || a.length - b.length || a.at - b.at)) {
      const before = chosen[at]!
      const ranges = [...before.ranges, ...part]
      const diff = file.showing(ranges)
      if (diff === null) continue
      const tokens = tokensOf(diff)
      if (tokens - before.tokens > left) continue
      left -= tokens - before.tokens
      chosen[at] = { diff, tokens, ranges }
    }
  }
  return chosen.map(({ diff }) => diff)
}

const lengthOf = (part: Part): number => part.reduce((sum, { first, last }) => sum + last - first + 1, 0)
