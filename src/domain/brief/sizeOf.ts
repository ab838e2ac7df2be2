/** How long a change takes to read, and whether it is several changes. */
import { isMachineWritten, isTestPath } from "../change/PathKind.ts"
import { compareText } from "../text/compareText.ts"
import type { Size } from "./Size.ts"

/** Reviews find most defects at 200 to 400 lines an hour (Cohen 2006; Kemerer and Paulk 2009). */
const linesAnHour = { slow: 200, fast: 400 }

/** Rounded to five minutes above half an hour, and to a quarter of an hour above two hours. */
const rounded = (minutes: number): number => {
  const step = minutes > 120 ? 15 : minutes > 30 ? 5 : 1
  return Math.max(1, Math.round(minutes / step) * step)
}

export const minutesFor = (reading: number): Size["minutes"] =>
  reading === 0
    ? null
    : { least: rounded((reading * 60) / linesAnHour.fast), most: rounded((reading * 60) / linesAnHour.slow) }

/** A changed file with code, as far as it can be part of a cluster. */
export interface ClusterFile {
  readonly path: string
  readonly changedLines: number
  /** All words of its changed lines and of the definitions around them; of a test, of the whole file. */
  readonly words: ReadonlySet<string>
  /** Words of its changed lines. */
  readonly changedWords: ReadonlySet<string>
  /** Names that other files use for it and for the definitions that are edited. */
  readonly names: ReadonlyArray<string>
}

const fewestFiles = 2
const fewestLines = 30
const mostFilesWithWord = 20

/** How closely two changed files belong together. */
export interface Tie {
  readonly files: readonly [string, string]
  /** Above 0. */
  readonly weight: number
}

/**
 * A test and its subject weigh most, then a use of what the other file defines, then words that both change. Words of more than
 * twenty files tie nothing.
 */
export const tiesOf = (files: ReadonlyArray<ClusterFile>): ReadonlyArray<Tie> => {
  const users = Map.groupBy(
    files.flatMap(({ changedWords }, at) => [...changedWords].map((word) => ({ word, at }))),
    ({ word }) => word
  )
  const shared = new Map<number, number>()
  for (const all of users.values()) {
    if (all.length > mostFilesWithWord) continue
    for (const [index, { at }] of all.entries()) {
      for (const other of all.slice(index + 1)) {
        const pair = at * files.length + other.at
        shared.set(pair, (shared.get(pair) ?? 0) + 1)
      }
    }
  }
  return files.flatMap((one, at) =>
    files.slice(at + 1).flatMap((other, offset): ReadonlyArray<Tie> => {
      const words = Math.min(most, shared.get(at * files.length + at + 1 + offset) ?? 0)
      const uses = useOf(one, other) + useOf(other, one)
      return uses + words === 0 ? [] : [{ files: [one.path, other.path], weight: uses + words }]
    })
  )
}

const most = 3

const useOf = (user: ClusterFile, { names, path }: ClusterFile): number => {
  const used = new Set(names.filter((name) => user.words.has(name))).size
  return used === 0 ? 0 : 2 * Math.min(most, used) + (isTestPath(user.path) && !isTestPath(path) ? most : 0)
}

/** Parts of the change without a reference between what they edit; empty if there are fewer than two. */
export const clustersOf = (files: ReadonlyArray<ClusterFile>): Size["clusters"] => {
  const parents = new Map(files.map(({ path }) => [path, path]))
  const rootOf = (path: string): string => {
    let root = path
    while (parents.get(root) !== root) root = parents.get(root)!
    return root
  }
  for (const {
    files: [one, other]
  } of tiesOf(files))
    parents.set(rootOf(one), rootOf(other))
  const groups = [...Map.groupBy(files, ({ path }) => rootOf(path)).values()].filter(
    (group) =>
      group.some(({ path }) => !isTestPath(path)) &&
      (group.length >= fewestFiles || group.reduce((sum, { changedLines }) => sum + changedLines, 0) >= fewestLines)
  )
  if (groups.length < 2) return []
  return groups
    .map((group) => ({
      name: nameOf(group),
      files: group.map(({ path }) => path).sort(compareText)
    }))
    .sort((a, b) => b.files.length - a.files.length || compareText(a.name, b.name))
}

/** The source file with most changed lines. */
const nameOf = (group: ReadonlyArray<ClusterFile>): string => {
  const sources = group.filter(({ path }) => !isTestPath(path))
  const [first] = (sources.length > 0 ? sources : group).toSorted(
    (a, b) => b.changedLines - a.changedLines || compareText(a.path, b.path)
  )
  return first?.path ?? ""
}

export const canBeInCluster = (path: string): boolean => !isMachineWritten(path)

/** Words that are made of several words, which two files rarely share by chance. */
export const distinctiveWords = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((word) =>
    /[\p{Ll}\p{N}]\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(word)
  )
