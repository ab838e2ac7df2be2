/**
 * Finds names that a change adds to one list of names and not to another that has all other names of the first: an
 * enumeration and the table over its members, exports and their index, settings and their documentation.
 *
 * Lists are found by text in the files that mention all siblings. Bounded, deterministic.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import {
  isGeneratedPath,
  isLockfile,
  isMarkedGenerated,
  isTestPath,
  isVendoredPath
} from "../../domain/change/PathKind.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import type { RepositoryRule } from "../../domain/finding/Rule.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { mentioningEndings } from "../../rules/structure/sharedNames.ts"
import { hasName, listsWith, type NameList, type NewEntry, newEntries } from "../../rules/structure/siblingLists.ts"
import { Sources } from "../change/Sources.ts"
import { RuleSet } from "./RuleSet.ts"
import { firstOf } from "./structureCheck.ts"

export const siblingRule = "sibling/missing-from-list"

/** Siblings that are searched for; the others are compared in the files that have these. */
const siblingsSought = 4
/** Lists with new names that are compared with others. */
const listsCompared = 30
/** With more new names at once, a list serves a new purpose. */
const mostNew = 10
/** Names that more files mention together are common words, not the names of one list. */
const filesRead = 8
/** If more lists lack the name, it is optional in them. */
const mostLacking = 2
const longestFile = 8_000

/** A name that the change adds to a list of a file. */
interface Added extends NewEntry {
  readonly path: string
}

interface Lacking extends Added {
  readonly other: string
  readonly list: NameList
}

export const siblingCheck = Effect.fn("siblingCheck")(function* (change: Change) {
  const sources = yield* Sources
  const { rules } = yield* RuleSet
  const rule = rules.find((each): each is RepositoryRule => each._tag === "Repository" && each.id === siblingRule)
  if (rule === undefined || (yield* sources.headPaths).length === 0) return nothingReviewed
  const done = { ...nothingReviewed, rulesApplied: [rule.id] }
  const deleted = deletedWords(change)
  const all = (yield* Effect.forEach(change.diff.files.filter(isCompared), (file) => addedTo(file, deleted))).flat()
  const groups = [...Map.groupBy(all, ({ path, siblings }) => `${path}\n${siblings.join("\n")}`).values()].filter(
    ({ length }) => length <= mostNew
  )
  const { kept, omitted } = firstOf(groups, listsCompared, "lists with the siblings of new names in", "lists")
  if (kept.length === 0) return done
  const sought = kept.map((added) => ({ added, words: rarest(added[0]?.siblings ?? []) }))
  const places = yield* sources.places(
    sought.map(({ words }) => ({ words, enough: words.length })),
    mentioningEndings
  )
  const wordsOf = Map.groupBy(places, ({ path }) => path)
  const lacking = yield* Effect.forEach(sought, ({ added, words }) => {
    const files = [...wordsOf].flatMap(([path, found]) =>
      words.every((word) => found.some((place) => place.word === word)) ? [path] : []
    )
    return files.length > filesRead ? Effect.succeed([]) : lackingIn(added, files)
  })
  return { ...done, omitted, records: recordsOf(rule, lacking.flat()) }
})

const rarest = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.toSorted((a, b) => b.length - a.length || compareText(a, b)).slice(0, siblingsSought)

const linesOf = Effect.fnUntraced(function* (path: string) {
  const source = yield* (yield* Sources).head(path)
  return source._tag === "Text" && source.lines.length <= longestFile && !isMarkedGenerated(source.lines)
    ? source.lines
    : []
})

const addedTo = Effect.fnUntraced(function* (file: DiffFile, deleted: ReadonlySet<string>) {
  const lines = yield* linesOf(file.path)
  const added = new Set(addedLines(file).map(({ line }) => line))
  const found = newEntries(
    lines,
    (line) => added.has(line),
    deletedLinesOf(file),
    (name) => deleted.has(name)
  )
  return found.map((entry): Added => ({ ...entry, path: file.path }))
})

/** The lists in these files that have all siblings but lack the new name; none if there are many. */
const lackingIn = Effect.fnUntraced(function* (added: ReadonlyArray<Added>, files: ReadonlyArray<string>) {
  const lacking: Array<Lacking> = []
  for (const other of nearestFirst(
    added.map(({ path }) => path),
    files.filter(isSearched)
  )) {
    const lines = yield* linesOf(other)
    const lists = listsWith(lines, added[0]?.siblings ?? [])
    for (const entry of added) {
      const own = entry.path === other ? entry.line : null
      for (const list of lists) {
        if (entry.isRecord && list.isRecord) continue
        if (!hasName(lines, list, entry.name, own)) lacking.push({ ...entry, other, list })
      }
    }
  }
  return added.flatMap((entry) => {
    const ofEntry = lacking.filter(({ line }) => line === entry.line)
    return ofEntry.length > mostLacking ? [] : ofEntry
  })
})

/** Words of deleted lines: a name among them is moved or renamed. */
const deletedWords = ({ diff }: Change): ReadonlySet<string> =>
  new Set(diff.files.flatMap(deletedLinesOf).flatMap((text) => text.match(/[\w$]+(?:-[\w$]+)*/g) ?? []))

const deletedLinesOf = ({ hunks }: DiffFile): ReadonlyArray<string> =>
  hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === "deleted" ? [text] : [])))

const isWritten = (path: string): boolean => !isVendoredPath(path) && !isGeneratedPath(path) && !isLockfile(path)

const isCompared = (file: DiffFile): boolean =>
  file.newPath !== null && !file.binary && file.oldPath !== null && isSearched(file.path) && !isDocument.test(file.path)

/** Translations and generated pages follow later, and deprecated code and documents of the past stay as they are. */
const isSearched = (path: string): boolean => isWritten(path) && !isTestPath(path) && !later.test(path)

const isDocument = /\.(?:mdx?|rst|adoc|txt)$/
const later =
  /\.html$|(?:^|\/)(?:locales?|i18n|lang|translations?|blog)\/|(?:^|\/)[^/]*(?:changelog|changes|history|release|upgrad|migrat|news|deprecated|legacy)[^/]*(?:\/|$)/i

/** One record for each two files; a name that several files add is reported once for each list that lacks it. */
const recordsOf = (rule: RepositoryRule, lacking: ReadonlyArray<Lacking>): ReadonlyArray<ReviewRecord> => {
  const reported = [...Map.groupBy(lacking, ({ list, name, other }) => `${name}\n${other}:${list.line}`).values()]
  const byFiles = Map.groupBy(
    reported.flatMap((same) => same.slice(0, 1)),
    ({ other, path }) => `${path}\n${other}`
  )
  return [...byFiles.values()]
    .map((same) => recordOf(rule, same))
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line)
}

const recordOf = (rule: RepositoryRule, same: ReadonlyArray<Lacking>): ReviewRecord => {
  const { line, list, name, other, path, siblings } = same[0]!
  const names = [...new Set(same.map((each) => each.name))]
  const missing = names.length === 1 ? "is missing" : "are missing"
  const title = `${namesText(names, 3)} ${missing} from the list at ${other}:${list.line}, which has all ${siblings.length} siblings`
  return ruleRecord(rule, {
    title,
    description: `${title}: ${namesText(siblings, 4)}. They are listed in lines ${list.line} to ${list.endLine}.`,
    path,
    line,
    evidence: [...new Set([`${path}:${line}`, ...same.map((each) => `${each.other}:${each.list.line}`)])],
    quote: name
  })
}

/** `a`, `b`, and 3 more. */
const namesText = (names: ReadonlyArray<string>, shown: number): string => {
  const rest = names.length - shown
  return `${names
    .slice(0, shown)
    .map((name) => `\`${name}\``)
    .join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`
}
