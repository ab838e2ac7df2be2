/**
 * Names by which parts of a repository agree without a compiler: environment variables, flags, routes, columns, keys.
 *
 * Pure: which of them a change renames, and whether what is left over still agrees. Who mentions them is for others to find.
 */

import type { Hunk } from "../change/Diff.ts"
import { compareText } from "../text/compareText.ts"

/**
 * `asks` relies on the name (code that reads a variable, a script that passes a flag), `gives` makes it mean something
 * (a settings file, an argument parser), `tells` is a document.
 */
export type Role = "asks" | "gives" | "tells"

export interface Mention {
  readonly name: string
  readonly role: Role
}

export interface Rename {
  readonly role: Role
  readonly before: string
  readonly after: string
  /** On the head side, from 1. */
  readonly line: number
}

/** A mention of a name on the head side, with its place. */
export interface MentionPlace extends Mention {
  readonly path: string
  readonly line: number
}

/**
 * The evident renames of a file's hunks: one line for another, in which one name went and one like it came.
 * `mentionsOf` tells the names of a line.
 */
export const renamesIn = (
  hunks: ReadonlyArray<Hunk>,
  mentionsOf: (text: string) => ReadonlyArray<Mention>
): ReadonlyArray<Rename> => hunks.flatMap((hunk) => replacements(hunk).flatMap((each) => renameOf(each, mentionsOf)))

interface Replacement {
  readonly before: string
  readonly after: string
  readonly line: number
}

/** A block longer than this is a rewrite. */
const longestBlock = 40

/** Runs of deleted lines with as many added ones behind them, line by line. */
const replacements = ({ lines }: Hunk): ReadonlyArray<Replacement> => {
  const found: Array<Replacement> = []
  let deleted: Array<string> = []
  let added: Array<Replacement> = []
  const close = () => {
    if (deleted.length === added.length && deleted.length <= longestBlock) {
      found.push(...added.map((each, at) => ({ ...each, before: deleted[at] ?? "" })))
    }
    deleted = []
    added = []
  }
  for (const { kind, newLine, text } of lines) {
    if (kind === "added") added.push({ before: "", after: text, line: newLine ?? 0 })
    else {
      if (added.length > 0 || kind === "context") close()
      if (kind === "deleted") deleted.push(text)
    }
  }
  close()
  return found
}

/** Longer lines are data, in which no name is looked for. */
export const longestLine = 1_000

const renameOf = (
  { before, after, line }: Replacement,
  mentionsOf: (text: string) => ReadonlyArray<Mention>
): ReadonlyArray<Rename> => {
  if (before.length > longestLine || after.length > longestLine) return []
  const were = unique(mentionsOf(before))
  // Of a hundred thousand lines hardly one mentions anything.
  const are = were.length === 0 ? [] : unique(mentionsOf(after))
  if (are.length === 0) return []
  const gone = were.filter(({ name }) => !are.some((each) => each.name === name))
  const come = are.filter(({ name }) => !were.some((each) => each.name === name))
  const [old, fresh] = [gone[0], come[0]]
  if (old === undefined || fresh === undefined || gone.length !== 1 || come.length !== 1) return []
  if (old.role !== fresh.role || !areAlike(old.name, fresh.name)) return []
  return [{ role: old.role, before: old.name, after: fresh.name, line }]
}

const unique = (mentions: ReadonlyArray<Mention>): ReadonlyArray<Mention> =>
  mentions.length < 2 ? mentions : [...new Map(mentions.map((each) => [each.name, each])).values()]

/** Do they share at least half of the words of the shorter one, or most of their letters' beginning and end? */
export const areAlike = (a: string, b: string): boolean => {
  const [x, y] = [partsOf(a), partsOf(b)]
  const shared = x.filter((part) => y.includes(part)).length
  return shared > 0 && shared * 2 >= Math.min(x.length, y.length)
}

const partsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "")

export interface Drift {
  readonly before: string
  readonly after: string
  readonly role: Role
  /** Where the old name is still used, defined or documented. */
  readonly left: ReadonlyArray<MentionPlace>
}

/**
 * Uses of the old name that remain on the other side, when the renamed side has none left and the other does not use
 * the new one. `renames`: all of the change, of one kind. A file that uses both names does so on purpose.
 */
export const driftOf = (
  { after, before, role }: Rename,
  renames: ReadonlyArray<Rename>,
  places: ReadonlyArray<MentionPlace>,
  /** The role whose renaming makes a document outdated. */
  documented: Role
): Drift | null => {
  const others = renames.filter((each) => each.before === before)
  // Several new names: a split, not a rename.
  if (others.some((each) => each.after !== after)) return null
  const knowing = new Set(places.filter(({ name }) => name === after).map(({ path }) => path))
  const old = places.filter(({ name }) => name === before)
  if (role === "tells" || old.some((each) => each.role === role)) return null
  const other: Role = role === "asks" ? "gives" : "asks"
  const isTaken = places.some((each) => each.name === after && each.role === other)
  const isFollowed = others.some((each) => each.role === other)
  const left = old.filter(
    (each) =>
      !knowing.has(each.path) &&
      ((each.role === other && (!isTaken || isFollowed)) || (each.role === "tells" && role === documented))
  )
  if (left.length === 0) return null
  const sorted = left.toSorted(
    (a, b) => Number(a.role === "tells") - Number(b.role === "tells") || compareText(a.path, b.path) || a.line - b.line
  )
  return { before, after, role, left: sorted }
}
