/**
 * Recognises a definition that the change renamed and edited: by its words, its position and the changes to its uses.
 *
 * A definition that was only renamed is found by its shape (`contractChanges`). A generated file may have thousands of
 * definitions, so only the comparison of two definitions is computed more than once.
 */

import type { Diff, DiffFile, DiffLine, Hunk } from "../change/Diff.ts"
import { definitionTable } from "./DefinitionTable.ts"
import type { Definition, FileSymbols } from "./Symbol.ts"

/** One side of a file: its symbols and its lines. */
export interface FileSide {
  readonly symbols: FileSymbols
  readonly lines: ReadonlyArray<string>
}

/** The maximum number of new definitions of one kind in a container to compare, and of removed ones. */
const mostCompared = 50

/** From this rating on, a new definition is the successor of the old one. */
const minimumRating = 0.65
const positionBonus = 0.1
const usesBonus = 0.5

/** The definition of the head side that replaces a removed one; null if there is no clear candidate. */
export type Successor = (removed: Definition) => Definition | null

export const successorIn = (
  file: DiffFile,
  base: FileSide,
  head: FileSide,
  uses: ReadonlyMap<string, ChangedUse>
): Successor => {
  const [before, after] = [definitionTable(base.symbols), definitionTable(head.symbols)]
  const isIn = ({ all }: typeof before, { container, name }: Definition) => all(name, container).length > 0
  const isKept = (each: Definition) => isIn(before, each) && isIn(after, each)
  const [oldPlaces, newPlaces] = [placesIn(base.symbols, isKept), placesIn(head.symbols, isKept)]
  const addedDefinitions = head.symbols.definitions.filter((each) => !isIn(before, each))
  const removedDefinitions = base.symbols.definitions.filter((each) => !isIn(after, each))
  const ratingFor = (removed: Definition) => {
    const [words, place, isRenamed] = [
      wordsOf(removed, base.lines),
      oldPlaces(removed),
      renamedUses(removed, file, uses)
    ]
    return (candidate: Candidate): number =>
      shareOf(words, candidate.words) +
      (candidate.place === place ? positionBonus : 0) +
      (isRenamed(candidate.definition) ? usesBonus : 0)
  }
  const candidates = firstOfGroups(addedDefinitions, (each) => ({
    definition: each,
    words: wordsOf(each, head.lines),
    place: newPlaces(each)
  }))
  const rivals = firstOfGroups(removedDefinitions, (each) => ({ name: each.name, ratingOf: ratingFor(each) }))
  return (removed) => {
    const ratingOf = ratingFor(removed)
    const [best, second] = (candidates.get(groupOf(removed)) ?? [])
      .map((candidate) => ({ candidate, rating: ratingOf(candidate) }))
      .sort((a, b) => b.rating - a.rating)
    if (best === undefined || best.rating < minimumRating || best.rating === second?.rating) return null
    // A definition replaces only one.
    const isDisputed = (rivals.get(groupOf(removed)) ?? []).some(
      ({ name, ratingOf }) => name !== removed.name && ratingOf(best.candidate) >= best.rating
    )
    return isDisputed ? null : best.candidate.definition
  }
}

interface Candidate {
  readonly definition: Definition
  readonly words: Words
  readonly place: string
}

const firstOfGroups = <A>(definitions: ReadonlyArray<Definition>, entryOf: (each: Definition) => A) =>
  new Map(
    [...Map.groupBy(definitions, groupOf)].map(([group, all]) => [group, all.slice(0, mostCompared).map(entryOf)])
  )

const groupOf = ({ container, kind }: Definition): string => `${kind}\0${container}`

/** The share of words that two definitions have in common, without their own names, from 0 to 1. */
export const likeness = (
  a: Definition,
  aLines: ReadonlyArray<string>,
  b: Definition,
  bLines: ReadonlyArray<string>
): number => shareOf(wordsOf(a, aLines), wordsOf(b, bLines))

/** The number of occurrences of each word in a text. */
interface Words {
  readonly counts: ReadonlyMap<string, number>
  readonly sum: number
}

const wordsOf = ({ endLine, line, name }: Definition, lines: ReadonlyArray<string>): Words => {
  const counts = new Map<string, number>()
  let sum = 0
  for (const text of lines.slice(line - 1, endLine)) {
    for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
      if (word === name) continue
      counts.set(word, (counts.get(word) ?? 0) + 1)
      sum++
    }
  }
  return { counts, sum }
}

const shareOf = (a: Words, b: Words): number => {
  const [fewer, more] = a.counts.size < b.counts.size ? [a, b] : [b, a]
  let shared = 0
  for (const [word, count] of fewer.counts) shared += Math.min(count, more.counts.get(word) ?? 0)
  return a.sum + b.sum === 0 ? 0 : (2 * shared) / (a.sum + b.sum)
}

/** The names of the nearest kept definitions before and after a definition of this side. */
const placesIn = ({ definitions }: FileSymbols, isKept: (each: Definition) => boolean) => {
  const kept = Map.groupBy(definitions.filter(isKept), ({ container }) => container)
  return ({ container, line }: Definition): string => {
    const neighbours = kept.get(container) ?? []
    const before = neighbours.findLast((each) => each.line < line)
    const after = neighbours.find((each) => each.line > line)
    return `${before?.name}\n${after?.name}`
  }
}

/** The places where a change deletes and adds a name. */
class ChangedUse {
  readonly deleted: Array<{ readonly hunk: Hunk; readonly line: DiffLine }> = []
  readonly added = new Set<Hunk>()
}

export const changedUses = ({ files }: Diff, names: Iterable<string>): ReadonlyMap<string, ChangedUse> => {
  const uses = new Map(Array.from(names, (name) => [name, new ChangedUse()]))
  for (const hunk of files.flatMap(({ hunks }) => hunks)) {
    for (const line of hunk.lines) {
      if (line.kind === "context") continue
      for (const word of new Set(line.text.match(/[\w$\x80-\uffff]+/g))) {
        if (line.kind === "deleted") uses.get(word)?.deleted.push({ hunk, line })
        else uses.get(word)?.added.add(hunk)
      }
    }
  }
  return uses
}

/** Does each hunk that deletes a use of the old name add a use of the new one? */
const renamedUses = (removed: Definition, file: DiffFile, uses: ReadonlyMap<string, ChangedUse>) => {
  const own = new Set(file.hunks)
  const deleted = uses.get(removed.name)?.deleted ?? []
  // The line that defined it does not count as a use.
  const used = new Set(
    deleted.filter(({ hunk, line }) => !own.has(hunk) || line.oldLine !== removed.line).map(({ hunk }) => hunk)
  )
  return ({ name }: Definition): boolean =>
    used.size > 0 && [...used].every((hunk) => uses.get(name)?.added.has(hunk) === true)
}
