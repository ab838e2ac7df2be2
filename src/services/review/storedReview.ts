/** The formats in which the artifacts of a review are stored. */
import { Schema } from "effect"
import { type Contested, ReportedFile } from "../../domain/agent/Task.ts"
import { Alternative } from "../../domain/finding/Alternative.ts"
import { type Dropped, Lens, ReviewRecord } from "../../domain/finding/Finding.ts"
import { type MergedItem, MergedRecord } from "../../domain/finding/MergedItem.ts"
import { Verdict, type Verdicts } from "../../domain/finding/Verdict.ts"

/** `merged-items.json`: the fields of a reviewer's record, lens and severity, and dd's own. */
const StoredItem = Schema.Struct({
  ...ReviewRecord.fields,
  lens: Lens,
  stacks: Schema.Array(Schema.String),
  merged: Schema.Array(MergedRecord)
})
export const StoredItems = Schema.fromJsonString(Schema.Struct({ items: Schema.Array(StoredItem) }))
/** The coverage that reviewers reported, so that a resumed review also has it. */
export const StoredCoverage = Schema.fromJsonString(Schema.Array(ReportedFile))
export const StoredReviewers = Schema.fromJsonString(Schema.Array(Schema.String))
export const StoredFailures = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
export const StoredRecords = Schema.fromJsonString(Schema.Array(ReviewRecord))
export const StoredDropped = Schema.fromJsonString(
  Schema.Struct({
    dropped_items: Schema.Array(Schema.Struct({ ...ReviewRecord.fields, stack: Schema.String, reason: Schema.String }))
  })
)
/** With the fingerprints of their findings; those of an older dd have none. */
export const StoredVerdicts = Schema.fromJsonString(
  Schema.Struct({
    verdicts: Schema.Array(Schema.Struct({ ...Verdict.fields, fingerprint: Schema.optionalKey(Schema.String) }))
  })
)
export const StoredAlternatives = Schema.fromJsonString(Schema.Array(Alternative))

export const storedItem = ({ id, record, lens, stacks, merged }: MergedItem): typeof StoredItem.Type => ({
  ...record,
  id,
  lens,
  stacks,
  merged
})

export const itemOf = ({ lens, stacks, merged, ...record }: typeof StoredItem.Type): MergedItem => ({
  id: record.id,
  record: ReviewRecord.make(record),
  lens,
  stacks,
  merged
})

export const arbiterInput = ({ arbId, record }: Contested) => ({
  arb_id: arbId,
  file: record.file,
  line: record.line,
  severity: record.severity,
  confidence: record.confidence,
  description: record.description,
  rationale: record.rationale,
  evidence: record.evidence
})

export const droppedOf = ({
  reason,
  stack,
  ...record
}: (typeof StoredDropped.Type)["dropped_items"][number]): Dropped => ({
  reason,
  record: ReviewRecord.make(record),
  stack
})

export const droppedFile = (dropped: ReadonlyArray<Dropped>) => ({
  dropped_count: dropped.length,
  dropped_ids: dropped.map(({ record }) => record.id),
  dropped_items: dropped.map(({ record, reason, stack }) => ({ ...record, stack, reason }))
})

export const verdictsOf = ({ verdicts }: typeof StoredVerdicts.Type): Verdicts =>
  new Map(
    verdicts.flatMap(({ fingerprint, ...verdict }) =>
      fingerprint === undefined ? [] : [[fingerprint, Verdict.make(verdict)] as const]
    )
  )
