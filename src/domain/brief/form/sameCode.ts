/** Compares the code of two ranges of lines, one on each side of a change. */

import type { CodeComment, CodeSide, CodeToken } from "./CodeSide.ts"
import type { RowRange } from "./changedRuns.ts"

/** A token of the base side and the one at its place on the head side, with another name. */
export interface NamePair {
  readonly before: CodeToken
  readonly after: CodeToken
}

export type Comparison =
  | { readonly _tag: "Same"; readonly hasOtherComments: boolean }
  /** Only names differ. */
  | { readonly _tag: "Renamed"; readonly pairs: ReadonlyArray<NamePair> }
  | { readonly _tag: "Different" }

const different: Comparison = { _tag: "Different" }

export const compare = (base: CodeSide, baseRows: RowRange, head: CodeSide, headRows: RowRange): Comparison => {
  const before = indexesIn(base.tokens, baseRows)
  const after = indexesIn(head.tokens, headRows)
  if (before.end - before.start !== after.end - after.start) return different
  const comments = [commentsIn(base.comments, baseRows), commentsIn(head.comments, headRows)] as const
  if (!isSameCrossing(comments[0], baseRows, comments[1], headRows)) return different
  const pairs: Array<NamePair> = []
  for (let at = 0; at < before.end - before.start; at++) {
    const [old, now] = [base.tokens[before.start + at]!, head.tokens[after.start + at]!]
    if (!isSamePlace(old, now)) return different
    if (old.text === now.text) continue
    if (!old.isName || !now.isName) return different
    pairs.push({ before: old, after: now })
  }
  if (!hasSameNeighbours(base.tokens, before, head.tokens, after)) return different
  if (pairs.length > 0) return { _tag: "Renamed", pairs }
  return { _tag: "Same", hasOtherComments: textOf(comments[0]) !== textOf(comments[1]) }
}

const isSamePlace = (a: CodeToken, b: CodeToken): boolean =>
  a.path === b.path && a.closes === b.closes && isSameList(a.opens, b.opens)

export const isSameList = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((each, at) => each === b[at])

/** The nodes that end before the range and those that begin after it are the same: no statement continues in the next line. */
const hasSameNeighbours = (
  base: ReadonlyArray<CodeToken>,
  before: RowRange,
  head: ReadonlyArray<CodeToken>,
  after: RowRange
): boolean => {
  const [oldLast, newLast] = [base[before.start - 1], head[after.start - 1]]
  const [oldNext, newNext] = [base[before.end], head[after.end]]
  return (
    oldLast?.closes === newLast?.closes &&
    oldNext?.path === newNext?.path &&
    isSameList(oldNext?.opens ?? [], newNext?.opens ?? [])
  )
}

interface Rowed {
  readonly row: number
  readonly endRow: number
}

/** The indexes of the tokens that touch the rows or span their place. */
export const indexesIn = (all: ReadonlyArray<Rowed>, { end, start }: RowRange): RowRange => {
  const first = firstAt(all, (each) => each.endRow >= start)
  return {
    start: first,
    end: Math.max(
      first,
      firstAt(all, (each) => each.row >= end)
    )
  }
}

/** Both rows ascend. */
const firstAt = (all: ReadonlyArray<Rowed>, test: (each: Rowed) => boolean): number => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(all[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

const commentsIn = (all: ReadonlyArray<CodeComment>, rows: RowRange): ReadonlyArray<CodeComment> => {
  const { end, start } = indexesIn(all, rows)
  return all.slice(start, end)
}

/** A comment that begins before the range or ends after it must do so on both sides: else it makes other lines a comment. */
const isSameCrossing = (
  before: ReadonlyArray<CodeComment>,
  baseRows: RowRange,
  after: ReadonlyArray<CodeComment>,
  headRows: RowRange
): boolean =>
  startsBefore(before, baseRows) === startsBefore(after, headRows) &&
  endsAfter(before, baseRows) === endsAfter(after, headRows)

const startsBefore = ([first]: ReadonlyArray<CodeComment>, { start }: RowRange): boolean =>
  first !== undefined && first.row < start

const endsAfter = (comments: ReadonlyArray<CodeComment>, { end }: RowRange): boolean =>
  (comments.at(-1)?.endRow ?? -1) >= end

const textOf = (comments: ReadonlyArray<CodeComment>): string =>
  comments.map(({ text }) => text.replace(/\s+/g, " ").trim()).join("\n")
