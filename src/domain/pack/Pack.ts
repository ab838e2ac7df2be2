/** A context pack: the change, the code of its files, and the files that matter for it, within a budget of tokens. */
import { compareText } from "../text/compareText.ts"
import type { Block, Extent } from "./Block.ts"
import type { Ranks } from "./fuse.ts"

/** A block with what it needs in the pack. */
export interface Sized extends Block {
  readonly tokens: number
}

/** A changed file whose code is in the pack. */
export interface ChangedBlock extends Sized {
  /** Shown with less than its full text, to fit: the step and what it saved. */
  readonly reduced: Reduction | null
}

export interface Reduction {
  readonly path: string
  readonly from: Extent
  readonly to: Extent
  readonly saved: number
}

/** A file that did not change, as the signals see it. */
export interface Candidate {
  readonly path: string
  /** From the ranks of all signals; the higher, the closer to the change. */
  readonly relationWeight: number
  /** The number of changed files from which imports lead to it, in either direction. */
  readonly frequency: number
  /** The fewest imports between it and a changed file; `unreachable` beyond three. */
  readonly distance: number
  /** A quarter of its characters. */
  readonly estimatedTokens: number
  readonly ranks: Ranks
}

export const unreachable = 999

/** Before: closer to the change. */
export const byRank = (a: Candidate, b: Candidate): number =>
  b.relationWeight - a.relationWeight ||
  b.frequency - a.frequency ||
  a.distance - b.distance ||
  a.estimatedTokens - b.estimatedTokens ||
  compareText(a.path, b.path)

export interface RelatedBlock extends Sized {
  readonly candidate: Candidate
}

/** What recall found for one changed file. */
export interface RecallTarget {
  readonly path: string
  readonly status: "ok" | "failed" | "skipped"
  /** Files within three imports, and those of them that no filter leaves out. */
  readonly total: number
  readonly eligible: number
  readonly limitsReached: boolean
  readonly note: string
}
