/**
 * Finds the files that usually change with the changed ones, from the commits before the change.
 *
 * A file is named if most commits that are similar to this change touched it, and most commits that touched one of the
 * changed files. Figures on held-out commits: docs/brief.md.
 */

import { type PastCommit, touching } from "../change/PastCommit.ts"
import { isLockfile, isTestPath, isVendoredPath } from "../change/PathKind.ts"
import { ecosystemOf } from "../code/Manifest.ts"
import { compareText } from "../text/compareText.ts"
import type { Companion } from "./Companion.ts"

/** A larger commit (a formatter, a move) is not evidence for any pair. */
const largestCommit = 30
const leastTogether = 3
/** The minimum share of the commits that touched the changed file. */
const leastShare = 0.5
const leastScore = 0.5
/** More companions are a sign that the change is of another kind than those before it. */
const mostShown = 3
/** The number of commits after which one counts half. */
const halfLife = 1000

export interface Candidate extends Companion {
  /** From 0 to 1: how many of the commits that are similar to the change touched the file. */
  readonly score: number
}

/** `changed`: paths on the base side. `isThere`: is the file, or the folder with its slash, on the head side? */
export const companionsOf = (
  commits: ReadonlyArray<PastCommit>,
  changed: ReadonlyArray<string>,
  isThere: (path: string) => boolean
): ReadonlyArray<Companion> => {
  const found = candidatesOf(commits, changed, isThere)
    .filter(({ score }) => score >= leastScore)
    .sort((a, b) => b.score - a.score || compareText(a.file, b.file))
  return found.length > mostShown ? [] : found.map(({ score: _, ...companion }) => companion)
}

/** Files that most commits to a changed file touched, the largest share first. */
export const candidatesOf = (
  commits: ReadonlyArray<PastCommit>,
  changed: ReadonlyArray<string>,
  isThere: (path: string) => boolean
): ReadonlyArray<Candidate> => {
  const wanted = new Set(changed)
  const folders = new Set(changed.map(folderOf))
  const similar = similarCommits(commits, wanted)
  const scores = new Map<string, number>()
  let total = 0
  for (const { age, items, overlap, size } of similar) {
    const weight = (overlap / (wanted.size + size - overlap)) ** 2 * 0.5 ** (age / halfLife)
    total += weight
    for (const item of items) scores.set(item, (scores.get(item) ?? 0) + weight)
  }
  const best = new Map<string, { readonly companion: Companion; readonly share: number; readonly likeness: number }>()
  for (const path of [...wanted].sort(compareText)) {
    const touching = similar.filter(({ items }) => items.has(path))
    const likenessOfAll = touching.reduce((sum, { overlap }) => sum + overlap, 0)
    const pairs = new Map<string, { together: number; likeness: number; readonly latest: string }>()
    for (const { items, overlap, sha } of touching) {
      for (const item of items) {
        const pair = pairs.get(item) ?? { together: 0, likeness: 0, latest: sha }
        pairs.set(item, pair)
        pair.together++
        pair.likeness += overlap
      }
    }
    for (const [file, { latest, likeness, together }] of pairs) {
      const isOld = wanted.has(file) || (file.endsWith("/") && folders.has(file))
      const share = together / (touching.length + 1)
      if (isOld || together < leastTogether || share < leastShare) continue
      // A new test of old code is complete.
      if (isTestPath(path) && !isTestPath(file)) continue
      if (isVendoredPath(file) || !isThere(file) || isUnneededLock(file, wanted)) continue
      const known = best.get(file)
      const own = likeness / (likenessOfAll * (1 + 1 / touching.length))
      const isBest = known === undefined || share > known.share
      best.set(file, {
        companion: isBest ? { file, with: path, together, commits: touching.length, latest } : known.companion,
        share: Math.max(share, known?.share ?? 0),
        likeness: Math.max(own, known?.likeness ?? 0)
      })
    }
  }
  return [...best.values()]
    .sort((a, b) => b.share - a.share || compareText(a.companion.file, b.companion.file))
    .map(({ companion, likeness }) => ({
      ...companion,
      score: Math.sqrt((likeness * (scores.get(companion.file) ?? 0)) / total)
    }))
}

interface Similar {
  readonly sha: string
  /** The number of newer commits. */
  readonly age: number
  /** The files it touched, by their present names, and the folders it added files to. */
  readonly items: ReadonlySet<string>
  readonly size: number
  /** The number of changed files among them. */
  readonly overlap: number
}

/** The commits that touched a changed file, newest first. */
const similarCommits = (commits: ReadonlyArray<PastCommit>, wanted: ReadonlySet<string>): ReadonlyArray<Similar> =>
  touching(commits, [...wanted]).flatMap(({ age, commit: { files, sha }, names }) => {
    if (files.length > largestCommit) return []
    const items = new Set(names.filter((name) => name !== ""))
    const size = items.size
    const overlap = [...items].filter((path) => wanted.has(path)).length
    // New files cannot have a history of their own: a migration, an entry of a changelog.
    for (const { path, status } of files) if (status === "A" && path.includes("/")) items.add(folderOf(path))
    return [{ sha, age, items, size, overlap }]
  })

/** With its slash; empty for a file at the top. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** A lock file changes only with its manifest. */
const isUnneededLock = (path: string, changed: ReadonlySet<string>): boolean => {
  if (!isLockfile(path)) return false
  const name = path.slice(path.lastIndexOf("/") + 1)
  return ![...changed].some((each) => folderOf(each) === folderOf(path) && ecosystemOf(each)?.locks.includes(name))
}
