/** Commits before the change, with the files that each touched. */
import { compareText } from "../text/compareText.ts"

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

/** A commit that touched one of some files. */
export interface Touching {
  readonly commit: PastCommit
  /** The number of newer commits with files. */
  readonly age: number
  /** The files of the commit by the names that they have now, in their order; empty for one that was replaced. */
  readonly names: ReadonlyArray<string>
}

/** The last answer for a history: the parts of a brief ask for the same. */
const known = new WeakMap<
  ReadonlyArray<PastCommit>,
  { readonly key: string; readonly answer: ReadonlyArray<Touching> }
>()

/** The commits that touched one of these files under its present or an earlier name, newest first. */
export const touching = (commits: ReadonlyArray<PastCommit>, paths: ReadonlyArray<string>): ReadonlyArray<Touching> => {
  const wanted = new Set(paths)
  const key = [...wanted].sort(compareText).join("\0")
  const already = known.get(commits)
  if (already?.key === key) return already.answer
  const answer: Array<Touching> = []
  const names = new Map<string, string>()
  let age = 0
  for (const commit of commits) {
    const { files } = commit
    if (files.length === 0) continue
    let isTouching = false
    for (const { path } of files) if (wanted.has(names.get(path) ?? path)) isTouching = true
    if (isTouching) answer.push({ commit, age, names: files.map(({ path }) => names.get(path) ?? path) })
    age++
    for (const { oldPath, path, status } of files) {
      if (status !== "A" && status !== "R") continue
      const name = names.get(path) ?? path
      // An older file of this name is another one.
      names.set(path, "")
      if (oldPath !== null) names.set(oldPath, name)
    }
  }
  known.set(commits, { key, answer })
  return answer
}
