/**
 * The folders in which people agree on the findings of one rule: the widest ones that their labels support.
 *
 * Every condition on a folder stays true when more labels agree, so that more rejections make no suppression disappear. A folder
 * is not taken for the sake of one of its sub-folders: two labels must agree outside of the largest one. It is not taken either
 * if the labels of a sub-folder, or of the files between sub-folders, disagree.
 */
import { foldersAbove } from "../../text/foldersAbove.ts"
import type { Judgement } from "../LabelledReview.ts"
import type { Opinion } from "./opinions.ts"

export interface Region {
  /** With a slash at the end; "" is the whole repository. */
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

/** Widest first, then by name. `isSupported` is asked about folders without disagreement. */
export const regionsOf = (
  opinions: ReadonlyArray<Opinion>,
  judgement: Judgement,
  isSupported: (region: Region) => boolean
): ReadonlyArray<Region> => {
  const folders = new Map<string, Counts>()
  for (const opinion of opinions) {
    const agrees = opinion.value === judgement
    const above = nearFolders(opinion.file)
    above.forEach((folder, depth) => {
      const counts = folders.get(folder) ?? new Counts(folder)
      folders.set(folder, counts)
      counts.add(opinion, agrees, depth === 0)
    })
  }
  for (const { agreeing, folder, isDisputed } of folders.values()) {
    const above = foldersAbove(folder.slice(0, -1))
    if (folder === "") continue
    const parent = folders.get(above[0]!)!
    parent.largest = Math.max(parent.largest, agreeing)
    if (isDisputed()) for (const each of above) folders.get(each)!.isSplit = true
  }
  return [...folders.values()]
    .filter((counts) => counts.isWhole() && isSupported(counts))
    .sort((a, b) => a.folder.length - b.folder.length || (a.folder < b.folder ? -1 : 1))
}

/**
 * The items of the widest ones. One that `isLeftOut` takes the folders below with it: what was refused for a folder is not tried
 * again for each of its parts. `isKept` are exceptions.
 */
export const widest = <A>(
  regions: ReadonlyArray<Region>,
  itemOf: (region: Region) => A,
  isLeftOut: (item: A) => boolean,
  isKept: (item: A) => boolean
): ReadonlyArray<A> => {
  const kept = new Map<string, A>()
  const leftOut = new Set<string>()
  for (const region of regions) {
    const above = foldersAbove(region.folder)
    if (above.some((folder) => kept.has(folder))) continue
    const item = itemOf(region)
    if (isKept(item) || !(above.some((folder) => leftOut.has(folder)) || isLeftOut(item))) kept.set(region.folder, item)
    else leftOut.add(region.folder)
  }
  return [...kept.values()]
}

/** Deeper folders are counted in the one at this depth: a path may have thousands. */
const deepest = 16
const nearFolders = (file: string): ReadonlyArray<string> => foldersAbove(file).slice(-deepest)

class Counts implements Region {
  readonly folder: string
  agreeing = 0
  others = 0
  last = 0
  hasHigh = false
  hasOtherHigh = false
  /** The most that agree in one sub-folder. */
  largest = 0
  isSplit = false
  private ownAgreeing = 0
  private ownOthers = 0
  private readonly sessions = new Set<string>()

  constructor(folder: string) {
    this.folder = folder
  }

  get reviews(): number {
    return this.sessions.size
  }

  add({ at, ref, severity }: Opinion, agrees: boolean, isOwn: boolean): void {
    if (agrees) {
      this.agreeing++
      if (isOwn) this.ownAgreeing++
      this.last = Math.max(this.last, at)
      if (this.sessions.size < 3) this.sessions.add(ref.session)
    } else {
      this.others++
      if (isOwn) this.ownOthers++
      if (severity === "high") this.hasOtherHigh = true
    }
    if (severity === "high") this.hasHigh = true
  }

  readonly isDisputed = (): boolean => disagree(this.agreeing, this.others)

  isWhole(): boolean {
    const hasOther = this.agreeing > this.ownAgreeing && disagree(this.ownAgreeing, this.ownOthers)
    return !this.isSplit && !hasOther && this.agreeing - this.largest >= 2
  }
}

/** A single label may be a mistake. */
const disagree = (agreeing: number, others: number): boolean => others >= 2 && others >= agreeing
