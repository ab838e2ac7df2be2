/**
 * A label of a single finding, in a table of dd's own.
 *
 * It identifies the finding without its run: by number, fingerprint, hash of its text, rule and place.
 */
import { Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"
import { outcomes, winning } from "./LabelObservation.ts"

export class FindingLabel extends Schema.Class<FindingLabel>("dd/FindingLabel")({
  session_id: SessionId,
  /** Its number in the review. */
  finding: Schema.Int.check(Schema.isGreaterThan(0)),
  observed_at: Schema.NonEmptyString,
  valid_at: Schema.String,
  fingerprint: Schema.String,
  /** SHA-256 of `wordsOf`. */
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

/** Title and description with white space collapsed. */
export const wordsOf = ({ description, title }: { readonly title: string; readonly description: string }): string =>
  `${title}\n${description}`.replace(/\s+/g, " ").trim()

/** Does an automatic label equal the last automatic one of its finding? Then it needs no row. */
export const isRepeatedLabel = (next: FindingLabel, known: ReadonlyArray<FindingLabel>): boolean => {
  if (next.source === "human") return false
  const last = winning(
    known.filter(
      ({ finding, session_id, source }) =>
        source !== "human" && session_id === next.session_id && finding === next.finding
    )
  )
  return last !== null && last.verdict === next.verdict && last.note === next.note
}
