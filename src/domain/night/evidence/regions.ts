/**
 * The folders in which people agree on the findings of one rule: the widest ones that their labels support.
 *
 * Every condition on a folder stays true when more labels agree, so that more rejections make no suppression disappear. A folder
 * is not taken for the sake of one of its sub-folders: two labels must agree outside of the largest one. It is not taken either
 * if the labels of a sub-folder, or of the files between sub-folders, disagree.
 *
 * The files of the root directory are a folder of their own, `./`. The whole repository is taken only if two labels agree in each of
 * two folders of the root directory: labels of its files say nothing about folders.
 */
import { compareText } from "../../text/compareText.ts"
import { foldersAbove, foldersOfFile, rootFiles } from "../../text/foldersAbove.ts"
import type { Judgement } from "../LabelledReview.ts"
import type { Opinion } from "./opinions.ts"

export interface Region {
  /** With a slash at the end; "" is the whole repository, "./" the files of its root directory. */
  readonly folder: string
  /** Labels with the judgement that was asked for, and the others. */
  readonly agreeing: number
  readonly others: number
  /** How many reviews have labels that agree; at most 3 are counted. */
  readonly reviews: number
  /** When a label last agreed. */
  readonly last: number
  readonly hasHigh: boolean
  readonly hasOtherHigh: boolean
}

export interface LabelledRegion extends Region {
  /** All labels in it. */
  readonly labels: ReadonlyArray<Opinion>
}

/** Widest first, then by name. `isSupported` is asked about folders without disagreement. */
export const regionsOf = (
  opinions: ReadonlyArray<Opinion>,
  judgement: Judgement,
  isSupported: (region: Region) => boolean
): ReadonlyArray<LabelledRegion> => {
  const placed = opinions.map((opinion) => ({ opinion, above: nearFolders(opinion.file) }))
  const folders = new Map<string, Counts>()
  for (const { above, opinion } of placed) {
    const agrees = opinion.value === judgement
    above.forEach((folder, depth) => {
      const counts = folders.get(folder) ?? new Counts(folder)
      folders.set(folder, counts)
      counts.add(opinion, agrees, depth === 0)
    })
  }
  for (const counts of folders.values()) {
    if (counts.folder === "") continue
    const above = foldersAbove(counts.folder.slice(0, -1))
    const parent = folders.get(above[0]!)!
    parent.largest = Math.max(parent.largest, counts.agreeing)
    if (counts.folder !== rootFiles && counts.agreeing >= least) parent.carrying++
    if (counts.isDisputed()) for (const each of above) folders.get(each)!.isSplit = true
  }
  const found = [...folders.values()].filter((counts) => counts.isWhole() && isSupported(counts))
  const labels = new Map(found.map(({ folder }): [string, Array<Opinion>] => [folder, []]))
  for (const { above, opinion } of placed) for (const folder of above) labels.get(folder)?.push(opinion)
  for (const counts of found) counts.labels = labels.get(counts.folder)!
  return found.sort((a, b) => a.folder.length - b.folder.length || compareText(a.folder, b.folder))
}

/**
 * The items of the widest ones. One that `isLeftOut` takes the folders below with it: what was refused for a folder is not tried
 * again for each of its parts. `isKept` are exceptions, but not of what `isDoubted` itself.
 */
export const widest = <A>(
  regions: ReadonlyArray<LabelledRegion>,
  itemOf: (region: LabelledRegion) => A,
  isLeftOut: (item: A) => boolean,
  isKept: (item: A) => boolean,
  isDoubted: (region: LabelledRegion) => boolean
): ReadonlyArray<A> => {
  const kept = new Map<string, A>()
  const leftOut = new Set<string>()
  for (const region of regions) {
    const above = foldersAbove(region.folder)
    if (above.some((folder) => kept.has(folder))) continue
    const item = itemOf(region)
    const isLeft =
      isDoubted(region) || (!isKept(item) && (above.some((folder) => leftOut.has(folder)) || isLeftOut(item)))
    if (isLeft) leftOut.add(region.folder)
    else kept.set(region.folder, item)
  }
  return [...kept.values()]
}

/** Deeper folders are counted in the one at this depth: a path may have thousands. */
const deepest = 16
const nearFolders = (file: string): ReadonlyArray<string> => foldersOfFile(file).slice(-deepest)

/** A single label may be a mistake. */
const least = 2

class Counts implements LabelledRegion {
  labels: ReadonlyArray<Opinion> = []
  readonly folder: string
  agreeing = 0
  others = 0
  last = 0
  hasHigh = false
  hasOtherHigh = false
  /** The most that agree in one sub-folder. */
  largest = 0
  /** Sub-folders in which enough labels agree. */
  carrying = 0
  isSplit = false
  private ownAgreeing = 0
  private ownOthers = 0
  /** Different ones. */
  private sessions: ReadonlyArray<string> = []

  constructor(folder: string) {
    this.folder = folder
  }

  get reviews(): number {
    return this.sessions.length
  }

  add({ at, ref, severity }: Opinion, agrees: boolean, isOwn: boolean): void {
    if (agrees) {
      this.agreeing++
      if (isOwn) this.ownAgreeing++
      this.last = Math.max(this.last, at)
      if (this.sessions.length < 3 && !this.sessions.includes(ref.session))
        this.sessions = [...this.sessions, ref.session]
    } else {
      this.others++
      if (isOwn) this.ownOthers++
      if (severity === "high") this.hasOtherHigh = true
    }
    if (severity === "high") this.hasHigh = true
  }

  isDisputed(): boolean {
    return disagree(this.agreeing, this.others)
  }

  isWhole(): boolean {
    const hasOther = this.agreeing > this.ownAgreeing && disagree(this.ownAgreeing, this.ownOthers)
    const isCarried = this.folder !== "" || this.carrying >= 2
    return !this.isSplit && !hasOther && isCarried && this.agreeing - this.largest >= least
  }
}

const disagree = (agreeing: number, others: number): boolean => others >= least && others >= agreeing
