/** The diff of a file with more or fewer of the unchanged lines around its changes, and which one is shown. */
import type { DiffFile } from "../change/Diff.ts"

export interface DiffWidths {
  readonly narrow: DiffFile
  /** With the definitions around the changes. */
  readonly wide?: DiffFile
  /** With every line of the file; not for tests. */
  readonly full?: DiffFile
}

/**
 * The widest diffs that fit: first the definitions of as many files as possible, then whole files. Files are in the order of
 * `rank`, smaller additions first. `tokensOf`: of a diff; the narrow ones are not counted.
 */
export const widestOf = (
  files: ReadonlyArray<DiffWidths>,
  room: number,
  rank: (file: DiffFile) => number,
  tokensOf: (file: DiffFile) => number
): ReadonlyArray<DiffFile> => {
  const chosen = files.map(({ narrow }) => narrow)
  let left = room
  for (const width of ["wide", "full"] as const) {
    const steps = files.flatMap((each, at) => {
      const wider = each[width]
      const more = wider === undefined ? 0 : tokensOf(wider) - tokensOf(chosen[at]!)
      return wider === undefined || more <= 0 ? [] : [{ at, wider, more }]
    })
    const inOrder = (a: (typeof steps)[number], b: (typeof steps)[number]) =>
      rank(a.wider) - rank(b.wider) || a.more - b.more || a.at - b.at
    for (const { at, more, wider } of steps.toSorted(inOrder)) {
      if (more > left) continue
      chosen[at] = wider
      left -= more
    }
  }
  return chosen
}
