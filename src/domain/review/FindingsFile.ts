/** `findings.json` of an archived run: the reported, suppressed and refused findings, and the steps that failed. */
import { Effect, Schema } from "effect"
import { Finding, RelatedPlace, Severity } from "../finding/Finding.ts"
import { FixJson, fixJsonOf } from "../fix/FixJson.ts"
import type { ReviewResult } from "./ReviewResult.ts"

const Place = { file: Schema.String, line: Schema.Int, end_line: Schema.Int }

const { column, endColumn, endLine, label, related: _, verdict, ...fields } = Finding.fields
const { endColumn: endOfPlace, ...place } = RelatedPlace.fields
/** Files of an older dd have no columns, labels and related places. */
const ArchivedFinding = Schema.Struct({
  ...fields,
  end_line: endLine,
  column: column.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  end_column: endColumn.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  label: label.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  related: Schema.Array(Schema.Struct({ ...place, end_column: endOfPlace })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([]))
  ),
  verdict: Schema.optionalKey(verdict)
})
export type ArchivedFinding = typeof ArchivedFinding.Type

/** The learned suppression that hides the finding; an older dd has it in the reason alone. */
const learned = { learned: Schema.optionalKey(Schema.String) }
/** Numbered after the reported findings, so that it can be labelled as they are. `reason`: what suppresses it, and why. */
const SuppressedFinding = Schema.Struct({ ...ArchivedFinding.fields, ...learned, reason: Schema.String })
export type SuppressedFinding = typeof SuppressedFinding.Type

const Claim = Schema.Struct({
  reason: Schema.String,
  rule: Schema.NullOr(Schema.String),
  title: Schema.String,
  stack: Schema.String,
  severity: Severity,
  ...Place
})

export const FindingsFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  session_id: Schema.String,
  status: Schema.Literals(["complete", "partial", "inconclusive"]),
  findings: Schema.Array(ArchivedFinding),
  /** What the fix half did; null if it did not run; absent from files of an older dd, as are verdicts. */
  fix: Schema.optionalKey(Schema.NullOr(FixJson)),
  /** Claims that dd refused, with the reasons. */
  dropped: Schema.Array(Claim),
  /** Findings the user asked not to see, or that dd learned to hide; an older dd gave them no number. */
  suppressed: Schema.Array(Schema.Union([SuppressedFinding, Schema.Struct({ ...Claim.fields, ...learned })])),
  degraded: Schema.Array(Schema.Struct({ step: Schema.String, error: Schema.String, detail: Schema.String })),
  not_reviewed: Schema.Array(Schema.Struct({ path: Schema.String, status: Schema.String, reason: Schema.String })),
  notes: Schema.Array(Schema.String)
})
export type FindingsFile = typeof FindingsFile.Type

export const decodeFindingsFile = Schema.decodeUnknownOption(Schema.fromJsonString(FindingsFile))

/** The suppressed findings with a number. */
export const suppressedIn = ({ suppressed }: FindingsFile): ReadonlyArray<SuppressedFinding> =>
  suppressed.filter((each) => "id" in each)

/** Every finding that a label can name. */
export const numberedIn = (file: FindingsFile): ReadonlyArray<ArchivedFinding> => [
  ...file.findings,
  ...suppressedIn(file)
]

const archivedFinding = ({ endColumn, endLine, related, ...finding }: Finding): ArchivedFinding => ({
  ...finding,
  end_line: endLine,
  end_column: endColumn,
  related: related.map(({ endColumn, ...place }) => ({ ...place, end_column: endColumn }))
})

export const findingsFileOf = (result: ReviewResult): FindingsFile => ({
  schema_version: 1,
  session_id: result.run.sessionId,
  status: result.status,
  findings: result.findings.map(archivedFinding),
  fix: fixJsonOf(result.fix),
  dropped: result.dropped.map(({ reason, record, stack }) => ({
    reason,
    rule: record.rule ?? null,
    title: record.title ?? record.description,
    stack,
    severity: record.severity,
    file: record.file,
    line: record.line,
    end_line: record.endLine ?? record.line
  })),
  suppressed: result.suppressed.map(({ by, finding, learned, reason }) => ({
    ...archivedFinding(finding),
    ...(learned === undefined ? {} : { learned }),
    reason: reason === "" ? by : `${by}: ${reason}`
  })),
  degraded: result.degraded,
  not_reviewed: result.coverage.files.filter(({ status }) => status !== "reviewed"),
  notes: result.notes
})
