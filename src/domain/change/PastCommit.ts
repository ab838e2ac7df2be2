/** Commits before the change, with the files that each touched. */

export interface TouchedFile {
  /** A added, M modified, D deleted, R renamed, C copied, T type changed. */
  readonly status: string
  readonly path: string
  /** The previous path; null unless renamed or copied. */
  readonly oldPath: string | null
}

export interface PastCommit {
  readonly sha: string
  readonly parents: ReadonlyArray<string>
  readonly author: string
  /** `2026-01-02`, the author date. */
  readonly date: string
  /** Of the commit, in seconds. */
  readonly time: number
  readonly subject: string
  /** Empty for merges. */
  readonly files: ReadonlyArray<TouchedFile>
}

/** The commits before a change, newest first, each before its parents. */
export interface PastCommits {
  readonly commits: ReadonlyArray<PastCommit>
  /** Why some are missing, for the reader. */
  readonly omitted: ReadonlyArray<string>
}

export const noPastCommits: PastCommits = { commits: [], omitted: [] }

/** How far a history goes back: the number of commits, and the seconds before its newest commit. */
export const historyLimits = { commits: 5000, seconds: 3 * 365 * 86_400 }

/** The history up to a commit, in the order of `git log`. */
export const historyFrom = (
  known: ReadonlyMap<string, PastCommit>,
  sha: string,
  limits = historyLimits
): { readonly commits: ReadonlyArray<PastCommit>; readonly isComplete: boolean } => {
  const commits: Array<PastCommit> = []
  const newest = known.get(sha)
  if (newest === undefined) return { commits, isComplete: false }
  let isComplete = true
  const seen = new Set([sha])
  /** The next is the last: the newest, and of the same time the one that was found first. */
  const waiting = [newest]
  while (commits.length < limits.commits) {
    const next = waiting.pop()
    if (next === undefined || next.time < newest.time - limits.seconds) return { commits, isComplete }
    commits.push(next)
    for (const parent of next.parents) {
      if (seen.has(parent)) continue
      seen.add(parent)
      const commit = known.get(parent)
      if (commit === undefined) {
        isComplete = false
        continue
      }
      let at = waiting.length
      while (at > 0 && waiting[at - 1]!.time >= commit.time) at--
      waiting.splice(at, 0, commit)
    }
  }
  return { commits, isComplete: true }
}

/**
 * Visits commits from the newest to the oldest; `present` is the name after these commits of a file that one of them
 * touched.
 */
export const eachCommit = (
  commits: ReadonlyArray<PastCommit>,
  visit: (commit: PastCommit, present: (path: string) => string) => void
): void => {
  const names = new Map<string, string>()
  const present = (path: string): string => names.get(path) ?? path
  for (const commit of commits) {
    visit(commit, present)
    for (const { oldPath, path, status } of commit.files) {
      if (oldPath !== null && status === "R") names.set(oldPath, present(path))
    }
  }
}
