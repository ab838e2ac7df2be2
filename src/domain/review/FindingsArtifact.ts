/**
 * The file of `dd review --findings-out`: the findings of one commit, for `dd post` and other programs.
 *
 * The format is version 1 (`schema_version`) of the artifact, with dd's own fingerprints, and with optional keys.
 */
import { Result, Schema } from "effect"
import { type Change, sideText } from "../change/Change.ts"
import { type FileCoverage, isWithoutRules } from "../change/Coverage.ts"
import { HunkIndex } from "../change/HunkIndex.ts"
import { Confidence, Finding, type RelatedPlace, Severity, type Suppressed } from "../finding/Finding.ts"
import { headLine } from "./headLine.ts"

const Line = Schema.Int.check(Schema.isGreaterThan(0))

const FoundFinding = Schema.Struct({
  fingerprint: Schema.String.check(Schema.isPattern(/^dd1:[0-9a-f]{16}$/)),
  path: Schema.String,
  line: Schema.NullOr(Line),
  placement: Schema.Literals(["inline", "body"]),
  title: Schema.NonEmptyString,
  body: Schema.String,
  severity: Schema.optionalKey(Severity),
  confidence: Schema.optionalKey(Confidence),
  is_cross_stack: Schema.Boolean,
  rule: Schema.optionalKey(Schema.NonEmptyString),
  end_line: Schema.optionalKey(Schema.NullOr(Line)),
  /** Replaces the lines from `line` to `end_line`; "" deletes them. */
  suggestion: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Not in the baseline. */
  new: Schema.optionalKey(Schema.Boolean)
})
export type FoundFinding = typeof FoundFinding.Type

const SuppressedFinding = Schema.Struct({
  fingerprint: FoundFinding.fields.fingerprint,
  path: Schema.String,
  rule: Schema.NonEmptyString
})

export const FindingsArtifact = Schema.Struct({
  schema_version: Schema.Literal(1),
  /** `owner/name`; null if the review did not know it. */
  repo: Schema.NullOr(Schema.String),
  pr_number: Schema.NullOr(Schema.Int),
  /** A commit, or `worktree`, `index` or `unknown`. */
  head_sha: Schema.String,
  base_sha: Schema.optionalKey(Schema.String),
  run_info: Schema.NullOr(Schema.String),
  /** False if a step could not do its work: a finding that is absent may not be fixed. */
  complete: Schema.optionalKey(Schema.Boolean),
  /** What was reviewed. */
  files: Schema.optionalKey(Schema.Array(Schema.String)),
  /** They were found, and are not to be shown. */
  suppressed: Schema.optionalKey(Schema.Array(SuppressedFinding)),
  findings: Schema.Array(FoundFinding)
})
export type FindingsArtifact = typeof FindingsArtifact.Type

/** `repo`: `owner/name`; null if it is unknown. */
export interface PullRequestName {
  readonly number: number
  readonly repo: string | null
}

/** Of a review. */
export interface Reported {
  readonly findings: ReadonlyArray<Finding>
  readonly suppressed: ReadonlyArray<Suppressed>
  readonly coverage: ReadonlyArray<FileCoverage>
}

export const findingsArtifactOf = (
  change: Change,
  pullRequest: PullRequestName | null,
  { coverage, findings, suppressed }: Reported,
  complete: boolean,
  redact: (text: string) => string
): FindingsArtifact => ({
  schema_version: 1,
  repo: pullRequest?.repo ?? null,
  pr_number: pullRequest?.number ?? null,
  head_sha: sideText(change.head),
  base_sha: sideText(change.base),
  run_info: null,
  complete,
  files: coverage.filter((file) => file.status === "reviewed" || isWithoutRules(file)).map(({ path }) => path),
  suppressed: suppressed.map(({ finding: { file, fingerprint, rule } }) => ({ fingerprint, path: file, rule })),
  findings: commentable(findings, change).map((finding) => ({
    fingerprint: finding.fingerprint,
    path: finding.file,
    line: finding.line === 0 ? null : finding.line,
    placement: finding.line === 0 || finding.lens === "cross-stack" ? "body" : "inline",
    title: redact(finding.title),
    body: redact([finding.description, finding.rationale].filter((text) => text !== "").join("\n\n")),
    severity: finding.severity,
    confidence: finding.confidence,
    is_cross_stack: finding.lens === "cross-stack",
    rule: finding.rule,
    end_line: finding.line === 0 ? null : finding.endLine,
    suggestion: publicSuggestion(finding.suggestion, redact),
    new: finding.new
  }))
})

/**
 * A comment can only be on a line of the diff: a finding outside of it, such as the use of a removed definition, is placed where one of
 * its related places is in the diff. Its suggestion is for other lines then.
 */
const commentable = (findings: ReadonlyArray<Finding>, { diff }: Change): ReadonlyArray<Finding> => {
  const hunks = new HunkIndex(diff)
  const files = new Map(diff.files.map((file) => [file.path, file]))
  const ofHead = (place: RelatedPlace) => {
    const file = place.deleted === undefined ? undefined : files.get(place.file)
    return { file: place.file, line: file === undefined ? place.line : headLine(file, place.line) }
  }
  return findings.map((finding) => {
    if (finding.line === 0 || hunks.contains(finding.file, finding.line)) return finding
    const place = finding.related.map(ofHead).find(({ file, line }) => line > 0 && hunks.contains(file, line))
    return place === undefined
      ? finding
      : Finding.make({ ...finding, file: place.file, line: place.line, endLine: place.line, suggestion: null })
  })
}

/** A redacted suggestion would write the marker of the secret into the file. */
const publicSuggestion = (suggestion: string | null, redact: (text: string) => string): string | null =>
  suggestion === null || redact(suggestion) !== suggestion ? null : suggestion

/** In bytes. */
export const largestArtifact = 16_777_216

/** The findings, or what is wrong with the text. */
export const readFindingsArtifact = (text: string): Result.Result<FindingsArtifact, string> =>
  Result.mapError(decode(text), ({ message }) => message)

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(FindingsArtifact))
