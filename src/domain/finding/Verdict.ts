/** The verdict on a finding: whether the code agrees with it. Source: reference §3.13. */
import { Schema } from "effect"

export const Agreement = Schema.Literals(["consistent", "uncertain", "contradicts"])

/** The reasons come before the verdict, so that a model writes them first. */
export class Verdict extends Schema.Class<Verdict>("dd/Verdict")({
  /** The number of the finding. */
  issue_id: Schema.Int,
  evidence: Schema.String,
  unverified_assumptions: Schema.Array(Schema.String),
  verdict: Agreement
}) {}
