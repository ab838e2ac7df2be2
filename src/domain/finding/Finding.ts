/**
 * What a reviewer reports, before and after dd has checked it.
 *
 * A `ReviewRecord` is the unchecked claim (shape: `reference` PER_STACK_RECORD plus dd's optional fields). A `Finding` is a
 * claim that passed the evidence gate: numbered, placed, fingerprinted.
 */
import { Schema } from "effect"
import { compareText } from "../text/compareText.ts"
import { Agreement } from "./Verdict.ts"

export const Severity = Schema.Literals(["high", "medium", "low"])
export type Severity = typeof Severity.Type

/** Only a record may have LOW. */
export const Confidence = Schema.Literals(["HIGH", "MEDIUM", "LOW"])
export type Confidence = typeof Confidence.Type

export const Lens = Schema.Literals(["per-stack", "cross-stack", "structural", "wonder"])
export type Lens = typeof Lens.Type

export const Source = Schema.Literals(["static", "model"])
export type Source = typeof Source.Type

/** Line numbers are those of the head side, from 1; 0 means the file as a whole. */
const Line = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** From 1, in UTF-16 units of the line; an end column is that after the last unit. */
const Column = Schema.Int.check(Schema.isGreaterThan(0))

/** Another place that a finding is about: the broken call, the definition, the copy. */
export const RelatedPlace = Schema.Struct({
  file: Schema.String,
  line: Line,
  /** Null, as `endColumn`, for the line as a whole. */
  column: Schema.NullOr(Column),
  endColumn: Schema.NullOr(Column),
  /** What is there, in a few words. */
  message: Schema.String,
  /** The line that the change deleted, if the place is about it; its number and columns are those before the change. */
  deleted: Schema.optionalKey(Schema.String)
})
export type RelatedPlace = typeof RelatedPlace.Type

/** The maximum number of characters of a label. */
export const longestLabel = 60

export class ReviewRecord extends Schema.Class<ReviewRecord>("dd/ReviewRecord")({
  id: Schema.Int,
  description: Schema.NonEmptyString,
  file: Schema.String,
  line: Schema.Int,
  confidence: Confidence,
  severity: Severity,
  rationale: Schema.String,
  evidence: Schema.String,
  /** The id of the rule; absent for a model's claim. */
  rule: Schema.optionalKey(Schema.NonEmptyString),
  /** One sentence; if absent, the first sentence of `description`. */
  title: Schema.optionalKey(Schema.NonEmptyString),
  endLine: Schema.optionalKey(Schema.Int),
  /** Of `line`; absent, as `endColumn`, for whole lines. */
  column: Schema.optionalKey(Column),
  /** Of `endLine`. */
  endColumn: Schema.optionalKey(Column),
  /** What is at these columns, in at most `longestLabel` characters; not the title. */
  label: Schema.optionalKey(Schema.NonEmptyString),
  related: Schema.optionalKey(Schema.Array(RelatedPlace)),
  /** The text at `line`, according to the reviewer; the evidence gate searches for it. */
  quote: Schema.optionalKey(Schema.String),
  suggestion: Schema.optionalKey(Schema.String)
}) {}

export class Finding extends Schema.Class<Finding>("dd/Finding")({
  id: Schema.Int.check(Schema.isGreaterThan(0)),
  rule: Schema.NonEmptyString,
  title: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  file: Schema.String,
  line: Line,
  endLine: Line,
  /** Of `line`; null, as `endColumn`, for whole lines. */
  column: Schema.NullOr(Column),
  /** Of `endLine`. */
  endColumn: Schema.NullOr(Column),
  /** What is at these columns, in at most `longestLabel` characters; not the title. */
  label: Schema.NullOr(Schema.NonEmptyString),
  related: Schema.Array(RelatedPlace),
  severity: Severity,
  confidence: Schema.Literals(["HIGH", "MEDIUM"]),
  lens: Lens,
  stack: Schema.NonEmptyString,
  source: Source,
  rationale: Schema.String,
  evidence: Schema.String,
  /** `dd1:` and 16 hex digits of a hash of rule, path and normalised code, without line number and wording. */
  fingerprint: Schema.String,
  suggestion: Schema.NullOr(Schema.String),
  verdict: Schema.NullOr(Agreement),
  /** Not in the baseline. */
  new: Schema.Boolean
}) {}

/** A claim that dd refused, with the reason for the user. */
export interface Dropped {
  readonly reason: string
  readonly record: ReviewRecord
  readonly stack: string
}

/** A finding that the user asked not to see, or that dd learned to hide. */
export interface Suppressed {
  readonly finding: Finding
  /** In words: `a.py:12` or `.daydreamignore:3`; `learned sup-ID` if dd learned it from labels. */
  readonly by: string
  /** Where the suppression is; null if dd learned it. */
  readonly place: { readonly file: string; readonly line: number } | null
  /** The id of the learned suppression. */
  readonly learned?: string
  readonly reason: string
  /** Did the change under review add the suppression? */
  readonly addedByChange: boolean
}

export const severityRank: Record<Severity, number> = { high: 0, medium: 1, low: 2 }
export const confidenceRank: Record<Confidence, number> = { HIGH: 0, MEDIUM: 1, LOW: 2 }

interface Weighed {
  readonly severity: Severity
  readonly confidence: Confidence
  readonly file: string
  readonly line: number
  readonly rule?: string
}

/** Total order, best first: severity, then confidence, path, line, rule. */
export const byImportance = (a: Weighed, b: Weighed): number =>
  severityRank[a.severity] - severityRank[b.severity] ||
  confidenceRank[a.confidence] - confidenceRank[b.confidence] ||
  compareText(a.file, b.file) ||
  a.line - b.line ||
  compareText(a.rule ?? "", b.rule ?? "")

export const atLeast = (severity: Severity, threshold: Severity): boolean =>
  severityRank[severity] <= severityRank[threshold]
