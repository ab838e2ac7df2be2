/**
 * Finds names that a change renames on one side only: what code reads and settings define, what a parser accepts and
 * scripts pass, what a server provides and clients request.
 *
 * Reads the repository only if the change renames such a name. Reports only names and places, because the value in a
 * settings file may be a secret. Deterministic, bounded.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isGeneratedPath, isLockfile, isVendoredPath } from "../../domain/change/PathKind.ts"
import { eachAlone, placesText } from "../../domain/change/WordPlace.ts"
import {
  type Drift,
  driftOf,
  longestLine,
  type Mention,
  type MentionPlace,
  type Rename,
  renamesIn
} from "../../domain/code/SharedName.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import type { RepositoryRule } from "../../domain/finding/Rule.ts"
import { ruleRecord, type TextAt } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { columnRename, mentioningEndings, type NameKind, nameKinds } from "../../rules/structure/sharedNames.ts"
import { Sources } from "../change/Sources.ts"
import { RuleSet } from "./RuleSet.ts"
import { lineTexts } from "./structureCheck.ts"

/** The number of names that are searched for; a change with more renames a scheme. */
const namesSought = 40
/** A name in more files is a common word, not part of a contract. */
const filesRead = 60

/** A rename and its file. */
interface Renamed extends Rename {
  readonly path: string
  readonly kind: NameKind
}

export const driftCheck = Effect.fn("driftCheck")(function* (change: Change) {
  const sources = yield* Sources
  const { rules } = yield* RuleSet
  const driftRules = new Map(rules.flatMap((rule) => (rule._tag === "Repository" ? [[rule.id, rule] as const] : [])))
  const kinds = nameKinds.filter(({ rule }) => driftRules.has(rule))
  if (kinds.length === 0 || (yield* sources.headPaths).length === 0) return nothingReviewed
  const compared = change.diff.files.filter(isCompared)
  const renamed = (yield* Effect.forEach(compared, (file) => Effect.sync(() => renamesOf(file, kinds))))
    .flat()
    .sort((a, b) => compareText(a.path, b.path) || a.line - b.line)
  const done = { ...nothingReviewed, rulesApplied: kinds.map(({ rule }) => rule).sort(compareText) }
  const records: Array<ReviewRecord> = []
  const omitted: Array<string> = []
  for (const kind of kinds) {
    const ofKind = renamed.filter((each) => each.kind === kind)
    const names = [...new Set(ofKind.flatMap(({ after, before }) => [before, after]))]
    const rule = driftRules.get(kind.rule)
    if (rule === undefined || names.length === 0) continue
    if (names.length > namesSought) {
      omitted.push(`renames (${kind.noun}): more than ${namesSought} names changed`)
      continue
    }
    const { isUsual, places } = yield* placesOf(kind, names)
    for (const each of firstOfEach(ofKind)) {
      const drift = isUsual(each.before) ? null : driftOf(each, ofKind, places, kind.documented)
      if (drift === null) continue
      const textAt = yield* lineTexts(sources, [each, ...drift.left])
      records.push(driftRecord(rule, kind, each, drift, textAt))
    }
  }
  const sorted = records.sort((a, b) => compareText(a.file, b.file) || a.line - b.line)
  return { ...done, omitted, records: sorted }
})

/** All mentions of these names of one kind on the head side. */
const placesOf = Effect.fnUntraced(function* (kind: NameKind, names: ReadonlyArray<string>) {
  const sources = yield* Sources
  const words = new Map(names.map((name) => [name, kind.word?.(name) ?? name]))
  const found = yield* sources.places(eachAlone([...words.values()]), mentioningEndings)
  const known = found.filter(({ path }) => isRead(path))
  const files = Map.groupBy(known, ({ path }) => path)
  const usual = [...new Set(words.values())].filter(
    (word) => new Set(known.filter((each) => each.word === word).map(({ path }) => path)).size > filesRead
  )
  yield* sources.preload([...files.keys()])
  const places: Array<MentionPlace> = []
  for (const [path, inFile] of files) {
    const source = yield* sources.head(path)
    if (source._tag !== "Text") continue
    for (const line of new Set(inFile.map((each) => each.line))) {
      const text = source.lines[line - 1] ?? ""
      for (const mention of text.length > longestLine ? [] : kind.mentions(path, text)) {
        if (words.has(mention.name)) places.push({ ...mention, path, line })
      }
    }
  }
  return { places, isUsual: (name: string) => usual.includes(words.get(name) ?? name) }
})

const isRead = (path: string): boolean => !isVendoredPath(path) && !isGeneratedPath(path) && !isLockfile(path)

const isCompared = (file: DiffFile): boolean => file.newPath !== null && !file.binary && isRead(file.path)

const renamesOf = (file: DiffFile, kinds: ReadonlyArray<NameKind>): ReadonlyArray<Renamed> =>
  kinds.flatMap((kind) => {
    const { path } = file
    if (kind.rule === columnRule) {
      const all = addedLines(file).flatMap(({ line, text }): ReadonlyArray<Renamed> => {
        const renamed = text.length > longestLine ? null : columnRename(text)
        return renamed === null ? [] : [{ ...renamed, role: "defines", line, path, kind }]
      })
      // The rest of the file undoes the migration.
      const undoes = (a: Renamed, b: Renamed) => a.before === b.after && a.after === b.before
      return all.filter((each, at) => !all.slice(0, at).some((earlier) => undoes(each, earlier)))
    }
    if (!isHinted(file, kind)) return []
    return renamesIn(file.hunks, (text) => (kind.hint.test(text) ? kind.mentions(path, text) : noMentions)).map(
      (each) => ({ ...each, path, kind })
    )
  })

const noMentions: ReadonlyArray<Mention> = []

const isHinted = ({ hunks }: DiffFile, { hint }: NameKind): boolean =>
  hunks.some(({ lines }) => lines.some(({ kind, text }) => kind === "deleted" && hint.test(text)))

export const columnRule = "drift/column"

/** One of each name and role; the others are equivalent. */
const firstOfEach = (renamed: ReadonlyArray<Renamed>): ReadonlyArray<Renamed> =>
  [
    ...new Map(renamed.toReversed().map((each) => [`${each.role} ${each.before} ${each.after}`, each])).values()
  ].reverse()

const distinctPlaces = (places: ReadonlyArray<MentionPlace>): ReadonlyArray<MentionPlace> => [
  ...new Map(places.map((place) => [`${place.path}:${place.line}`, place])).values()
]

const driftRecord = (
  rule: RepositoryRule,
  { noun }: NameKind,
  renamed: Renamed,
  drift: Drift,
  textAt: TextAt
): ReviewRecord => {
  const { after, before, left, role } = drift
  const count = new Set(left.map(({ line, path }) => `${path}:${line}`)).size
  const places = count === 1 ? "one place" : `${count} places`
  const only = left.every((each) => each.role === "documents")
  const verb = only ? ["documents", "document"] : role === "uses" ? ["defines", "define"] : ["uses", "use"]
  const title = `The ${noun} \`${before}\` is \`${after}\` now, but ${places} still ${verb[count === 1 ? 0 : 1]} the old name`
  return ruleRecord(
    rule,
    {
      title,
      description: `${title}. See ${placesText(left)}.`,
      path: renamed.path,
      line: renamed.line,
      words: [after],
      label: "the new name",
      // An outdated document breaks nothing by itself.
      severity: only ? "low" : rule.severity,
      related: distinctPlaces(left).map(({ line, path, role }) => ({
        path,
        line,
        words: [before],
        message: `${role} the old name`
      })),
      quote: after
    },
    textAt
  )
}
