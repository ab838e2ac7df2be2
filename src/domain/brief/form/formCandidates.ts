/**
 * The hunks that may change only form, by their text: most hunks change words, and their files need not be parsed again.
 * A hunk that is no candidate is not form, or has a layout that this misses.
 */
import type { Diff, DiffFile, DiffLine } from "../../change/Diff.ts"
import { mostJoined, type Run, runsOf } from "./changedRuns.ts"

/** Deleted lines that are added elsewhere, from which on they may be a move. */
const fewestMoved = 3

export interface Candidates {
  /** By file, the indexes of its hunks; a file without one is absent. */
  readonly hunks: ReadonlyMap<DiffFile, ReadonlySet<number>>
}

/** `markers`: what begins a comment that ends with its line. */
export const formCandidates = (
  files: ReadonlyArray<DiffFile>,
  whole: Diff,
  markers: (path: string) => ReadonlyArray<string>
): Candidates["hunks"] => {
  const moved = movedLines(whole)
  const found = new Map<DiffFile, ReadonlySet<number>>()
  for (const file of files) {
    const lines = linesOf(markers(file.path))
    const runs = runsOf(file)
    const hunks = new Set<number>()
    if (file.oldPath !== null && file.newPath !== null) {
      for (const [at, run] of runs.entries()) if (mayBeSame(runs, at, lines)) hunks.add(run.hunk)
    }
    const movedIn = runs.flatMap(({ hunk, lines: all }) =>
      all.filter(({ text }) => moved.has(text.trim())).map(() => hunk)
    )
    const isImport = (hunk: number): boolean =>
      file.hunks[hunk]?.lines.some(({ kind, text }) => kind !== "context" && importWord.test(text)) === true
    for (const hunk of movedIn) if (movedIn.length >= fewestMoved || isImport(hunk)) hunks.add(hunk)
    if (hunks.size > 0) found.set(file, hunks)
  }
  return found
}

const importWord = /\b(?:import|from|use|using|require|alias)\b|^\s*"[\w./-]+"$/

/** Lines that the change deletes and adds, without indentation. */
const movedLines = ({ files }: Diff): ReadonlySet<string> => {
  const [deleted, added] = [new Set<string>(), new Set<string>()]
  for (const { lines } of files.flatMap(({ hunks }) => hunks)) {
    for (const { kind, text } of lines) {
      const plain = text.trim()
      if (kind === "context" || plain.length < 6 || !/\w{3}/.test(plain)) continue
      if (kind === "deleted") deleted.add(plain)
      else added.add(plain)
    }
  }
  return deleted.intersection(added)
}

interface RunWords {
  readonly deleted: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
}

/** The words and signs of the lines of a run, without comments, layout and the spelling of names. */
const linesOf = (markers: ReadonlyArray<string>) => {
  const known = new Map<Run, RunWords>()
  const comment = new RegExp(
    `(?:^\\s*\\*(?=[\\s/]|$)|(?:^|\\s)(?:${["/\\*", ...markers.map(RegExp.escape)].join("|")})).*`
  )
  const wordsIn = (lines: ReadonlyArray<DiffLine>, kind: DiffLine["kind"]): ReadonlyArray<string> =>
    lines
      .filter((line) => line.kind === kind)
      .flatMap(({ text }) => text.replace(comment, "").match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$,;{}|'"()\\]/gu) ?? [])
  return (run: Run): RunWords => {
    const words = known.get(run) ?? { deleted: wordsIn(run.lines, "deleted"), added: wordsIn(run.lines, "added") }
    known.set(run, words)
    return words
  }
}

const mayBeSame = (runs: ReadonlyArray<Run>, at: number, wordsOf: (run: Run) => RunWords): boolean => {
  const [deleted, added]: [Array<string>, Array<string>] = [[], []]
  let same = 0
  for (const [index, run] of runs.slice(at, at + mostJoined).entries()) {
    const words = wordsOf(run)
    deleted.push(...words.deleted)
    added.push(...words.added)
    if (index === 0 && isSameSet(deleted, added)) return true
    const fewer = Math.min(deleted.length, added.length)
    while (same < fewer && isSimilar(deleted[same]!, added[same]!)) same++
    if (same < fewer) return false
    if (deleted.length === added.length) return true
  }
  // Nothing differs so far.
  return runs.length - at > mostJoined
}

const isName = (word: string): boolean => /^[\p{L}_$]/u.test(word)

const isSimilar = (a: string, b: string): boolean => a === b || (isName(a) && isName(b))

const isSameSet = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  if (a.length !== b.length) return false
  const sorted = b.toSorted()
  return a.toSorted().every((word, at) => word === sorted[at])
}
