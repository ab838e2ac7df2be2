/**
 * Files that usually change together with the changed ones, according to the history.
 *
 * Commits that touch very many files (a formatter, a move, the edge of a shallow clone) are not evidence for any pair.
 */
import { compareText } from "../text/compareText.ts"

export interface CoChange {
  /** The changed file. */
  readonly path: string
  /** The file that usually changes with it, and is not part of this change. */
  readonly other: string
  /** The number of commits that touched both, out of `commits` that touched `path`. */
  readonly together: number
  readonly commits: number
}

const largestCommit = 30
const leastTogether = 3
/** The minimum share of the commits that touched the changed file. */
const leastShare = 0.5
const othersOfOne = 3

/** In the order of `changed`, strongest first for each file. Deterministic; linear in the paths of the commits. */
export const coChanges = (
  commits: ReadonlyArray<ReadonlyArray<string>>,
  changed: ReadonlyArray<string>,
  isThere: (path: string) => boolean
): ReadonlyArray<CoChange> => {
  const wanted = new Set(changed)
  const counts = new Map<string, { commits: number; readonly others: Map<string, number> }>()
  for (const listed of commits) {
    const files = [...new Set(listed)]
    if (files.length > largestCommit) continue
    for (const path of files) {
      if (!wanted.has(path)) continue
      const known = counts.get(path) ?? { commits: 0, others: new Map<string, number>() }
      counts.set(path, known)
      known.commits++
      for (const other of files) {
        if (!wanted.has(other)) known.others.set(other, (known.others.get(other) ?? 0) + 1)
      }
    }
  }
  return changed.flatMap((path) => {
    const { commits, others } = counts.get(path) ?? { commits: 0, others: new Map<string, number>() }
    return [...others]
      .filter(([other, together]) => together >= leastTogether && together / commits >= leastShare && isThere(other))
      .sort(([a, x], [b, y]) => y - x || compareText(a, b))
      .slice(0, othersOfOne)
      .map(([other, together]) => ({ path, other, together, commits }))
  })
}
