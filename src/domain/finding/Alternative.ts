import { Schema } from "effect"
import { Confidence, Severity } from "./Finding.ts"

/** An improvement seen from the whole change; the alternatives step's unit. */
export class Alternative extends Schema.Class<Alternative>("dd/Alternative")({
  id: Schema.Int,
  title: Schema.NonEmptyString,
  description: Schema.String,
  recommendation: Schema.String,
  severity: Severity,
  files: Schema.Array(Schema.String),
  /** In the first of `files`; absent or 0 for the file as a whole. */
  line: Schema.optionalKey(Schema.Int),
  confidence: Confidence,
  rationale: Schema.String,
  evidence: Schema.String
}) {}
