/**
 * The lines of a change that a reviewer has seen, as ranges of line numbers, and those that it has not seen.
 *
 * A place with added lines is seen if these are seen on the head side; a place with only deleted lines is seen if these
 * are seen on the base side. Context lines need not be seen.
 */
import { Schema } from "effect"
import { compareText } from "../text/compareText.ts"
import { lastAtMost } from "../text/lastAtMost.ts"
import type { DiffFile, DiffLine, Hunk } from "./Diff.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Lines `from` to `to` of a file, both included. */
export const SeenLines = Schema.Struct({
  /** The file's name on this side. */
  path: Schema.String,
  side: Schema.Literals(["head", "base"]),
  from: count,
  to: count
})
export type SeenLines = typeof SeenLines.Type

/** The normal form: sorted, and no two ranges of a file overlap or are adjacent. */
export const joinedLines = (ranges: ReadonlyArray<SeenLines>): ReadonlyArray<SeenLines> => {
  const joined: Array<SeenLines> = []
  for (const range of ranges.filter(({ from, to }) => from <= to).toSorted(byPlace)) {
    const last = joined.at(-1)
    const isNext =
      last !== undefined && last.path === range.path && last.side === range.side && range.from <= last.to + 1
    if (isNext) joined[joined.length - 1] = { ...last, to: Math.max(last.to, range.to) }
    else joined.push(range)
  }
  return joined
}

const byPlace = (a: SeenLines, b: SeenLines): number =>
  compareText(a.path, b.path) || compareText(a.side, b.side) || a.from - b.from

/** Are all of these lines seen? */
export const isSeen = (seen: ReadonlyArray<SeenLines>, { from, path, side, to }: SeenLines): boolean =>
  joinedLines(seen).some((each) => each.path === path && each.side === side && each.from <= from && to <= each.to)

/** The lines of a diff as ranges on both sides. */
export const rangesOf = (file: DiffFile, lines: ReadonlyArray<DiffLine>): ReadonlyArray<SeenLines> =>
  joinedLines(
    lines.flatMap(({ newLine, oldLine }) => [
      ...(newLine === null ? [] : [{ path: headPath(file), side: "head" as const, from: newLine, to: newLine }]),
      ...(oldLine === null ? [] : [{ path: basePath(file), side: "base" as const, from: oldLine, to: oldLine }])
    ])
  )

/** Every line in the diff of these files. */
export const allLines = (files: ReadonlyArray<DiffFile>): ReadonlyArray<SeenLines> =>
  files.flatMap((file) =>
    rangesOf(
      file,
      file.hunks.flatMap(({ lines }) => lines)
    )
  )

export const headPath = ({ newPath, path }: DiffFile): string => newPath ?? path
export const basePath = ({ oldPath, path }: DiffFile): string => oldPath ?? path

export const changedLines = (files: ReadonlyArray<DiffFile>): number =>
  files
    .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
    .reduce((sum, { kind }) => (kind === "context" ? sum : sum + 1), 0)

/** The files with unseen changed lines, reduced to these lines and their context. */
export const unseen = (files: ReadonlyArray<DiffFile>, seen: ReadonlyArray<SeenLines>): ReadonlyArray<DiffFile> => {
  const has = lookupIn(seen)
  return files.flatMap((file) => {
    const hunks = file.hunks.flatMap((hunk) => restOf(hunk, missingIn(file, hunk, has)))
    return hunks.length === 0 ? [] : [{ ...file, hunks }]
  })
}

type Lookup = (path: string, side: SeenLines["side"], line: number) => boolean

const lookupIn = (seen: ReadonlyArray<SeenLines>): Lookup => {
  const known = Map.groupBy(joinedLines(seen), ({ path, side }) => `${side} ${path}`)
  const starts = new Map([...known].map(([key, ranges]) => [key, ranges.map(({ from }) => from)]))
  return (path, side, line) => {
    const key = `${side} ${path}`
    const range = known.get(key)?.[lastAtMost(starts.get(key) ?? [], line)]
    return range !== undefined && line <= range.to
  }
}

/** Runs of changed lines without context between them, as [first, after the last]. */
const runsIn = ({ lines }: Hunk): ReadonlyArray<readonly [number, number]> => {
  const runs: Array<readonly [number, number]> = []
  let start: number | null = null
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "context") {
      if (start !== null) runs.push([start, at])
      start = null
    } else start ??= at
  }
  return start === null ? runs : [...runs, [start, lines.length]]
}

/** Indexes of the changed lines that are not seen yet. */
const missingIn = (file: DiffFile, hunk: Hunk, has: Lookup): ReadonlyArray<number> =>
  runsIn(hunk).flatMap(([from, to]) => {
    const run = hunk.lines.slice(from, to).map((line, at) => ({ line, at: from + at }))
    const added = run.filter(({ line }) => line.kind === "added")
    const missing =
      added.length > 0
        ? added.filter(({ line }) => !has(headPath(file), "head", line.newLine ?? 0))
        : run.filter(({ line }) => !has(basePath(file), "base", line.oldLine ?? 0))
    // The lines that the first added line replaces are shown with it.
    const isWhole = added.length > 0 && missing[0]?.at === added[0]?.at
    return [...(isWhole ? [from] : []), ...missing.map(({ at }) => at)]
  })

const contextLines = 3

/** The part of a hunk from the first to the last of these lines; empty if there are none. */
const restOf = (hunk: Hunk, missing: ReadonlyArray<number>): ReadonlyArray<Hunk> => {
  const [first] = missing
  const last = missing.at(-1)
  if (first === undefined || last === undefined) return []
  const isContext = (at: number) => hunk.lines[at]?.kind === "context"
  let [from, to] = [first, last + 1]
  while (from > 0 && first - from < contextLines && isContext(from - 1)) from--
  // Up to the end of the run: its deleted lines alone would have to be seen on the base side.
  while (to < hunk.lines.length && !isContext(to)) to++
  for (let more = 0; more < contextLines && isContext(to); more++) to++
  if (from === 0 && to === hunk.lines.length) return [hunk]
  const lines = hunk.lines.slice(from, to)
  const startOf = (side: "oldLine" | "newLine", fallback: number) =>
    lines.find((line) => line[side] !== null)?.[side] ?? fallback
  return [
    {
      ...hunk,
      oldStart: startOf("oldLine", hunk.oldStart),
      oldCount: lines.filter(({ oldLine }) => oldLine !== null).length,
      newStart: startOf("newLine", hunk.newStart),
      newCount: lines.filter(({ newLine }) => newLine !== null).length,
      lines
    }
  ]
}
