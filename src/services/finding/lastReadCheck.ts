/** Finds members that are still set although the change deletes the last code that read them. */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { isMachineWritten, isTestPath } from "../../domain/change/PathKind.ts"
import { eachAlone, placesText } from "../../domain/change/WordPlace.ts"
import { deletedReads, namingOf } from "../../domain/code/lastRead.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { endingsOf, familyOf, isJudged } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { RuleSet } from "./RuleSet.ts"
import { lineTexts } from "./structureCheck.ts"

/** Names that are searched for; a change that deletes more reads is a rewrite. */
const namesSought = 60
/** A name in more places is a common word. */
const placesRead = 40

/** Files without a grammar that read members of objects. */
const templates = [".html", ".vue", ".svelte"]

export const lastReadCheck = Effect.fn("lastReadCheck")(function* (change: Change) {
  const { rules } = yield* RuleSet
  const rule = rules.find(({ id }) => id === "lost/reader")
  if (rule === undefined) return nothingReviewed
  const sources = yield* Sources
  const done = { ...nothingReviewed, rulesApplied: [rule.id] }
  const candidates = deletedReads(change.diff).filter(
    ({ path }) => isJudged(path) && !isTestPath(path) && !isMachineWritten(path)
  )
  // A search of the repository takes longer than reading the changed file.
  const deleted = yield* Effect.filter(candidates, ({ name, path }) =>
    Effect.map(
      sources.head(path),
      (source) =>
        source._tag === "Text" && !source.lines.some((line) => line.includes(name) && namingOf(line, name) === "read")
    )
  )
  if (deleted.length === 0) return done
  if (deleted.length > namesSought) {
    return {
      ...done,
      omitted: [`members that are no longer read: the change deletes reads of ${deleted.length} names`]
    }
  }
  const families = [...new Set(deleted.flatMap(({ path }) => familyOf(path) ?? []))]
  const endings = [...families.flatMap(endingsOf), ...templates]
  const found = yield* sources.places(eachAlone(deleted.map(({ name }) => name)), endings)
  const records: Array<ReviewRecord> = []
  for (const each of deleted) {
    const places = found.filter(({ word }) => word === each.name)
    if (places.length === 0 || places.length > placesRead) continue
    const sets: Array<(typeof places)[number]> = []
    let isRead = false
    for (const place of places) {
      const source = yield* sources.head(place.path)
      // A file without a text may read it.
      const isKnown = source._tag === "Text" && !isSerialised(source.text)
      const naming = isKnown ? namingOf(source.lines[place.line - 1] ?? "", each.name) : "read"
      if (naming === "read") isRead = true
      if (naming === "set" && !isTestPath(place.path) && !isMachineWritten(place.path)) sets.push(place)
    }
    const [first, ...others] = sets
    if (isRead || first === undefined) continue
    const textAt = yield* lineTexts(sources, sets)
    const title = `Nothing reads \`${each.name}\` any more, but it is still set`
    records.push(
      ruleRecord(
        rule,
        {
          path: first.path,
          line: first.line,
          words: [each.name],
          title,
          description: `${title}. The change deletes the last code that read it (line ${each.line} before the change); it is still set at ${placesText(sets)}.`,
          label: "still set here",
          related: [
            { path: each.path, line: each.line, deleted: each.text, words: [each.name], message: "was read here" },
            ...others.map(({ line, path }) => ({ path, line, words: [each.name], message: "still set here" }))
          ],
          quote: textAt(first.path, first.line) ?? ""
        },
        textAt
      )
    )
  }
  return { ...done, records }
})

/** What a library reads by name. */
const isSerialised = (text: string): boolean =>
  /\bSerialize\b|\bBaseModel\b|\basdict\b|\bdataclass_json\b|`json:|@JsonProperty|\bmarshmallow\b|__getattr__|models\.Model\b/.test(
    text
  )
