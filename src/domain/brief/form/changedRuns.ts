/** Neighbouring deleted and added lines of a hunk. */
import type { DiffFile, DiffLine } from "../../change/Diff.ts"

/** Rows from 0; `end` is excluded. An empty range has the row before which lines are missing. */
export interface RowRange {
  readonly start: number
  readonly end: number
}

export interface Run {
  /** The index of its hunk. */
  readonly hunk: number
  readonly base: RowRange
  readonly head: RowRange
  readonly lines: ReadonlyArray<DiffLine>
}

/** Changed parts that are compared together, because a formatter may have joined or split lines. */
export const mostJoined = 60

export const runsOf = ({ hunks }: DiffFile): ReadonlyArray<Run> =>
  hunks.flatMap(({ lines, newCount, newStart, oldCount, oldStart }, hunk) => {
    const runs: Array<Run> = []
    // An empty range has the number of the line above it.
    let base = oldCount === 0 ? oldStart : oldStart - 1
    let head = newCount === 0 ? newStart : newStart - 1
    let open: { start: readonly [number, number]; lines: Array<DiffLine> } | null = null
    const close = (): void => {
      if (open === null) return
      const [baseStart, headStart] = open.start
      runs.push({
        hunk,
        base: { start: baseStart, end: base },
        head: { start: headStart, end: head },
        lines: open.lines
      })
      open = null
    }
    for (const line of lines) {
      if (line.kind === "context") {
        close()
        base++
        head++
        continue
      }
      open ??= { start: [base, head], lines: [] }
      open.lines.push(line)
      if (line.kind === "deleted") base++
      else head++
    }
    close()
    return runs
  })
