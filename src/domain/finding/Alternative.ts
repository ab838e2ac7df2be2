import { Schema } from "effect"
import { Confidence, Severity } from "./Finding.ts"

/** A suggestion about the design of the whole change, found by the alternatives step. */
export class Alternative extends Schema.Class<Alternative>("dd/Alternative")({
  id: Schema.Int,
  title: Schema.NonEmptyString,
  description: Schema.String,
  recommendation: Schema.String,
  severity: Severity,
  files: Schema.Array(Schema.String),
  /** A line of the first file; absent or 0 for the file as a whole. */
  line: Schema.optionalKey(Schema.Int),
  confidence: Confidence,
  rationale: Schema.String,
  evidence: Schema.String
}) {}
