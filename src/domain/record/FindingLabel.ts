/**
 * What somebody says of a single finding: what the next reviews can learn from. A table of dd's own beside the seed's.
 *
 * It names the finding by all that may outlive its run: number, fingerprint, hash of its words, rule and place.
 */
import { Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"
import { outcomes } from "./LabelObservation.ts"

export class FindingLabel extends Schema.Class<FindingLabel>("dd/FindingLabel")({
  session_id: SessionId,
  /** Its number in the review. */
  finding: Schema.Int.check(Schema.isGreaterThan(0)),
  observed_at: Schema.NonEmptyString,
  valid_at: Schema.String,
  fingerprint: Schema.String,
  /** SHA-256 of its title and description, blanks folded. */
  text_hash: Schema.String,
  rule: Schema.String,
  file: Schema.String,
  line: Schema.Int,
  end_line: Schema.Int,
  verdict: Schema.Literals(outcomes),
  note: Schema.NullOr(Schema.String),
  source: Schema.String
}) {}

export const findingLabelColumns = Object.keys(FindingLabel.fields)

/** The text whose hash names the finding's words. */
export const wordsOf = ({ description, title }: { readonly title: string; readonly description: string }): string =>
  `${title}\n${description}`.replace(/\s+/g, " ").trim()
