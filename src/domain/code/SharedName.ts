/**
 * Names that several parts of a repository share and no compiler checks: environment variables, flags, routes, columns,
 * keys.
 *
 * Finds the names that a change renames, and whether the remaining mentions are consistent. The callers find the mentions.
 */

import type { Hunk } from "../change/Diff.ts"
import { compareText } from "../text/compareText.ts"

/**
 * `uses`: depends on the name (code that reads a variable, a script that passes a flag). `defines`: gives it a meaning (a
 * settings file, an argument parser). `documents`: a document.
 */
export type Role = "uses" | "defines" | "documents"

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
 * The clear renames in the hunks of a file: a line replaces another one, with one name removed and a similar one added.
 * `mentionsOf` finds the names in a line.
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

/** Runs of deleted lines followed by the same number of added lines, as pairs of lines. */
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

/** Longer lines are data and are not searched for names. */
export const longestLine = 1_000

const renameOf = (
  { before, after, line }: Replacement,
  mentionsOf: (text: string) => ReadonlyArray<Mention>
): ReadonlyArray<Rename> => {
  if (before.length > longestLine || after.length > longestLine) return []
  const oldNames = unique(mentionsOf(before))
  // Nearly all lines have no mention.
  const newNames = oldNames.length === 0 ? [] : unique(mentionsOf(after))
  if (newNames.length === 0) return []
  const removed = oldNames.filter(({ name }) => !newNames.some((each) => each.name === name))
  const added = newNames.filter(({ name }) => !oldNames.some((each) => each.name === name))
  const [old, fresh] = [removed[0], added[0]]
  if (old === undefined || fresh === undefined || removed.length !== 1 || added.length !== 1) return []
  if (old.role !== fresh.role || !areAlike(old.name, fresh.name)) return []
  return [{ role: old.role, before: old.name, after: fresh.name, line }]
}

const unique = (mentions: ReadonlyArray<Mention>): ReadonlyArray<Mention> =>
  mentions.length < 2 ? mentions : [...new Map(mentions.map((each) => [each.name, each])).values()]

/** Do they share at least half of the words of the shorter one? */
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
 * The mentions of the old name on the other side, if none remains on the renamed side and the other side does not use the
 * new name. `renames`: all renames of one kind in the change. A file that uses both names does so on purpose.
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
  const renamedFiles = new Set(places.filter(({ name }) => name === after).map(({ path }) => path))
  const old = places.filter(({ name }) => name === before)
  if (role === "documents" || old.some((each) => each.role === role)) return null
  const other: Role = role === "uses" ? "defines" : "uses"
  const isTaken = places.some((each) => each.name === after && each.role === other)
  const isFollowed = others.some((each) => each.role === other)
  const left = old.filter(
    (each) =>
      !renamedFiles.has(each.path) &&
      ((each.role === other && (!isTaken || isFollowed)) || (each.role === "documents" && role === documented))
  )
  if (left.length === 0) return null
  const sorted = left.toSorted(
    (a, b) =>
      Number(a.role === "documents") - Number(b.role === "documents") || compareText(a.path, b.path) || a.line - b.line
  )
  return { before, after, role, left: sorted }
}
