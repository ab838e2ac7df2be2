/**
 * Recognises a definition that the change renamed and edited: by its words, its position and what happened to its uses.
 *
 * Pure. A definition that only changed its name is found by its shape (`contractChanges`).
 */
import type { Diff, DiffFile } from "./Diff.ts"
import { type Definition, type FileSymbols, wordPlaces } from "./Symbol.ts"

/** One side of a file: what it defines, and its lines. */
export interface FileSide {
  readonly symbols: FileSymbols
  readonly lines: ReadonlyArray<string>
}

/** Of more new definitions in a file, only these are compared. */
const mostCompared = 50

/** At or above this a new definition takes the place of the old one. */
const enough = 0.65
const forPosition = 0.1
const forUses = 0.5

/** The new definition of the head side that was `gone` before; null where none is evidently the one. */
export const successor = (
  gone: Definition,
  base: FileSide,
  head: FileSide,
  { diff, file }: { readonly diff: Diff; readonly file: DiffFile }
): Definition | null => {
  const isIn = ({ definitions }: FileSymbols, { container, name }: Definition) =>
    definitions.some((each) => each.name === name && each.container === container)
  const isKept = (each: Definition) => isIn(base.symbols, each) && isIn(head.symbols, each)
  const place = neighbours(base.symbols, gone, isKept)
  const rated = head.symbols.definitions
    .filter((each) => each.kind === gone.kind && each.container === gone.container && !isIn(base.symbols, each))
    .slice(0, mostCompared)
    .map((definition) => ({
      definition,
      rating:
        likeness(gone, base.lines, definition, head.lines) +
        (neighbours(head.symbols, definition, isKept) === place ? forPosition : 0) +
        (areUsesRenamed(gone, definition, diff, file) ? forUses : 0)
    }))
    .sort((a, b) => b.rating - a.rating)
  const [best, second] = rated
  if (best === undefined || best.rating < enough) return null
  return best.rating === second?.rating ? null : best.definition
}

/** The share of words that two definitions have in common, their own names left out, from 0 to 1. */
export const likeness = (
  a: Definition,
  aLines: ReadonlyArray<string>,
  b: Definition,
  bLines: ReadonlyArray<string>
): number => {
  const [first, second] = [wordsOf(a, aLines), wordsOf(b, bLines)]
  const left = new Map<string, number>()
  for (const word of first) left.set(word, (left.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of second) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    shared++
  }
  return first.length + second.length === 0 ? 0 : (2 * shared) / (first.length + second.length)
}

const wordsOf = ({ endLine, line, name }: Definition, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines
    .slice(line - 1, endLine)
    .flatMap((text) => text.match(/[\p{L}\p{N}_$]+/gu) ?? [])
    .filter((word) => word !== name)

/** The kept definitions before and after it. */
const neighbours = (
  { definitions }: FileSymbols,
  { container, line }: Definition,
  isKept: (each: Definition) => boolean
): string => {
  const beside = definitions.filter((each) => each.container === container && isKept(each))
  const before = beside.findLast((each) => each.line < line)
  const after = beside.find((each) => each.line > line)
  return `${before?.name}\n${after?.name}`
}

/** Wherever the change deletes a use of the old name, it adds one of the new name beside it. */
const areUsesRenamed = (gone: Definition, now: Definition, { files }: Diff, own: DiffFile): boolean => {
  let renamed = 0
  for (const file of files) {
    for (const { lines } of file.hunks) {
      const mentions = (kind: "deleted" | "added", name: string) =>
        lines.filter((line) => line.kind === kind && wordPlaces(line.text, name).length > 0)
      // The line that defined it is no use.
      const uses = mentions("deleted", gone.name).filter(({ oldLine }) => file !== own || oldLine !== gone.line)
      if (uses.length === 0) continue
      if (mentions("added", now.name).length === 0) return false
      renamed++
    }
  }
  return renamed > 0
}
