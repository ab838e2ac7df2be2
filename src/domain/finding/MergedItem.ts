/**
 * Merges the records of all reviewers: records of the same defect become one item.
 *
 * Merging is deterministic and uses no model: two records become one item only at the same place and with similar words.
 * A model may add words to an item, and cannot remove one.
 */
import { Schema } from "effect"
import { compareText } from "../text/compareText.ts"
import { bigrams, jaccard, threshold } from "../text/Similarity.ts"
import type { Alternative } from "./Alternative.ts"
import { byImportance, confidenceRank, type Lens, type RelatedPlace, ReviewRecord, severityRank } from "./Finding.ts"
import { KnownPaths } from "./KnownPaths.ts"
import type { MergeNote } from "./MergeNote.ts"
import type { StackRecords } from "./StackReport.ts"

/** A record that was merged into an item. */
export const MergedRecord = Schema.Struct({
  stack: Schema.String,
  id: Schema.Int,
  rule: Schema.NullOr(Schema.String),
  title: Schema.String,
  line: Schema.Int
})

export interface MergedItem {
  /** From 1, best first. */
  readonly id: number
  /** The strongest of the merged records, with the highest severity and confidence and the evidence of all. */
  readonly record: ReviewRecord
  /** The reviewers that reported it, sorted: stack names, and `alternatives` for the review of the whole change. */
  readonly stacks: ReadonlyArray<string>
  readonly lens: Lens
  /** The other records of this item, in order. */
  readonly merged: ReadonlyArray<typeof MergedRecord.Type>
}

/** The maximum distance in lines of one place. */
export const nearby = 3

/** A record is compared with at most this many groups before it in its file, so that merging is linear. */
export const window = 64

export const structureStack = "structure"
export const alternativesStack = "alternatives"
/** Of findings that are comments on a pull request. */
export const feedbackStack = "feedback"

/** The title of a record, or the first sentence of its description. */
export const titleOf = (record: ReviewRecord): string =>
  record.title?.trim() || (/^[\s\S]*?[.!?](?=\s|$)/.exec(record.description)?.[0] ?? record.description).trim()

interface Entry {
  readonly stack: string
  readonly record: ReviewRecord
  readonly title: ReadonlySet<string>
  readonly description: ReadonlySet<string>
}

/** Merges records of the same defect; the order of the stacks has no effect. */
export const mergeRecords = (stacks: ReadonlyArray<StackRecords>): ReadonlyArray<MergedItem> => {
  const entries = stacks
    .flatMap(({ stack, records }) => records.map((record) => entryOf(stack.name, record)))
    .sort(byPlace)

  const groups: Array<Array<Entry>> = []
  let recent: Array<Array<Entry>> = []
  let file: string | null = null
  for (const entry of entries) {
    if (entry.record.file !== file) recent = []
    file = entry.record.file
    let home: Array<Entry> | undefined
    for (let i = recent.length - 1; i >= 0 && home === undefined; i--) {
      // Compared with the first member of a group only, so that a chain of neighbours does not become one group.
      if (sameClaim(recent[i]![0]!, entry)) home = recent[i]!
    }
    if (home !== undefined) {
      home.push(entry)
      continue
    }
    const group = [entry]
    groups.push(group)
    recent.push(group)
    if (recent.length > window) recent.shift()
  }

  return groups
    .map(fold)
    .sort((a, b) => byWeight(a.record, b.record))
    .map((item, index): MergedItem => ({ ...item, id: index + 1 }))
}

/** A record as an item of its own. */
export const alone = (stack: string, record: ReviewRecord): MergedItem => ({ ...fold([entryOf(stack, record)]), id: 1 })

/** Adds a model's notes: a note extends the rationale, and may change the lens between per-stack and cross-stack. */
export const applyNotes = (
  items: ReadonlyArray<MergedItem>,
  notes: ReadonlyArray<MergeNote>
): ReadonlyArray<MergedItem> => {
  const byId = Map.groupBy(notes, (note) => note.id)
  return items.map((item) => {
    const own = byId.get(item.id)
    if (own === undefined) return item
    const words = own.map((note) => note.note.trim()).filter((text) => text !== "")
    // Contradictory notes do not change the lens.
    const lenses = [...new Set(own.flatMap((note) => note.lens ?? []))]
    const lens = lenses.length === 1 ? lenses[0] : undefined
    const movable = item.lens === "per-stack" || item.lens === "cross-stack"
    return {
      ...item,
      lens: movable && lens !== undefined ? lens : item.lens,
      record: ReviewRecord.make({ ...item.record, rationale: joined([item.record.rationale, ...words], " ") })
    }
  })
}

/** Same file, and overlapping or at most `nearby` lines apart; a claim about a whole file matches no line. */
export const samePlace = (a: ReviewRecord, b: ReviewRecord): boolean =>
  a.file === b.file && a.line > 0 === b.line > 0 && a.line <= lastLine(b) + nearby && b.line <= lastLine(a) + nearby

const sameClaim = (a: Entry, b: Entry): boolean => {
  if (!samePlace(a.record, b.record)) return false
  // Records of one rule are the same defect only on the same line, and with the same words or from two reviewers.
  if (a.record.rule !== undefined && a.record.rule === b.record.rule) {
    return a.record.line === b.record.line && (a.stack !== b.stack || titleOf(a.record) === titleOf(b.record))
  }
  return jaccard(a.title, b.title) >= threshold || jaccard(a.description, b.description) >= threshold
}

const lastLine = (record: ReviewRecord): number => Math.max(record.line, record.endLine ?? record.line)

const entryOf = (stack: string, record: ReviewRecord): Entry => ({
  stack,
  record,
  title: bigrams(titleOf(record).slice(0, 400)),
  description: bigrams(record.description.slice(0, 400))
})

/** The alternatives as records of a reviewer of the whole change. */
export const alternativeRecords = (alternatives: ReadonlyArray<Alternative>): StackRecords => ({
  stack: { name: alternativesStack, files: [] },
  records: alternatives.map(recordOf)
})

/** Places an alternative at its line, else at a place in its files that its evidence names, else at its first file. */
const recordOf = (alternative: Alternative): ReviewRecord => {
  const cited =
    (alternative.line ?? 0) > 0 ? undefined : new KnownPaths(alternative.files).cited(alternative.evidence).places[0]
  return ReviewRecord.make({
    id: alternative.id,
    title: alternative.title,
    description: joined([alternative.description, alternative.recommendation], " ") || alternative.title,
    file: cited?.path ?? alternative.files[0] ?? "",
    line: cited?.line ?? alternative.line ?? 0,
    confidence: alternative.confidence,
    severity: alternative.severity,
    rationale: alternative.rationale,
    evidence: alternative.evidence
  })
}

const best = <A extends string>(rank: Record<A, number>, ...values: ReadonlyArray<A>): A =>
  values.reduce((a, b) => (rank[b] < rank[a] ? b : a))

/** A rule's record comes first, because its place is computed. */
const byAuthority = (a: Entry, b: Entry): number =>
  (a.record.rule === undefined ? 1 : 0) - (b.record.rule === undefined ? 1 : 0) ||
  severityRank[a.record.severity] - severityRank[b.record.severity] ||
  confidenceRank[a.record.confidence] - confidenceRank[b.record.confidence]

const fold = (group: ReadonlyArray<Entry>): Omit<MergedItem, "id"> => {
  const [first, ...others] = group.toSorted(byAuthority)
  const stacks = [...new Set(group.map((entry) => entry.stack))].sort(compareText)
  const lead = first!.record
  const titles = new Set([titleOf(lead)])
  const echoes: Array<string> = []
  for (const { stack, record } of others) {
    if (titles.has(titleOf(record))) continue
    titles.add(titleOf(record))
    echoes.push(`Also reported (${stack}): ${titleOf(record)}`)
  }
  const records = [lead, ...others.map((entry) => entry.record)]
  // That of a rule is certain; a model's is not given to the finding of a rule.
  const suggestion = records.find(
    (record) =>
      record.suggestion !== undefined &&
      (lead.rule === undefined) === (record.rule === undefined) &&
      record.line === lead.line &&
      lastLine(record) === lastLine(lead)
  )?.suggestion
  const related = distinctPlaces(lead, records)
  return {
    record: ReviewRecord.make({
      ...lead,
      ...(related.length === 0 ? {} : { related }),
      severity: best(severityRank, ...records.map(({ severity }) => severity)),
      confidence: best(confidenceRank, ...records.map(({ confidence }) => confidence)),
      evidence: joined(
        records.map(({ evidence }) => evidence),
        "; "
      ),
      rationale: joined([lead.rationale, ...echoes], " "),
      ...(suggestion === undefined ? {} : { suggestion })
    }),
    stacks,
    lens: lensOf(stacks),
    merged: others.map(({ stack, record }) => ({
      stack,
      id: record.id,
      rule: record.rule ?? null,
      title: titleOf(record),
      line: record.line
    }))
  }
}

/** The related places of all records, each once and without that of the item. */
const distinctPlaces = (
  { column, file, line }: ReviewRecord,
  records: ReadonlyArray<ReviewRecord>
): ReadonlyArray<RelatedPlace> => {
  const places = new Map<string, RelatedPlace>()
  for (const place of records.flatMap(({ related = [] }) => related)) {
    const isOwnLine = place.file === file && place.line === line && place.deleted === undefined
    const key = JSON.stringify([place.file, place.line, place.column, place.deleted])
    if (isOwnLine && (place.column === null || place.column === column)) continue
    if (!places.has(key)) places.set(key, place)
  }
  return [...places.values()]
}

const lensOf = (stacks: ReadonlyArray<string>): Lens => {
  const reviewers = stacks.filter((stack) => stack !== alternativesStack)
  if (reviewers.length === 0) return "wonder"
  if (reviewers.includes(structureStack)) return "structural"
  return reviewers.length > 1 ? "cross-stack" : "per-stack"
}

const joined = (parts: ReadonlyArray<string>, separator: string): string =>
  [...new Set(parts.map((part) => part.trim()))].filter((part) => part !== "").join(separator)

/** Best first. */
const byWeight = (a: ReviewRecord, b: ReviewRecord): number =>
  byImportance(a, b) || compareText(a.description, b.description)

/** A total order over all fields of a record, so that the order of the stacks has no effect. */
const byPlace = (a: Entry, b: Entry): number =>
  compareText(a.record.file, b.record.file) ||
  a.record.line - b.record.line ||
  byAuthority(a, b) ||
  compareText(a.record.rule ?? "", b.record.rule ?? "") ||
  compareText(a.stack, b.stack) ||
  a.record.id - b.record.id ||
  compareText(a.record.description, b.record.description)
