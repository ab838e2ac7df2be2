/**
 * How often people accept the findings of a rule, from their labels. A review reports the confidence that follows from it.
 */
import { Schema } from "effect"
import type { Confidence } from "./Finding.ts"
import { LabelRef } from "./LearnedSuppression.ts"

export const RuleCalibration = Schema.Struct({
  /** `cal-` and 16 hex digits of the digest of rule and model. Absent, as the evidence: an older dd made it. */
  id: Schema.optionalKey(Schema.String),
  rule: Schema.String,
  /** The model that reported them; `static` for rules. */
  by: Schema.String,
  accepted: Schema.Int,
  rejected: Schema.Int,
  /** The probability that the next finding is accepted: the counts, and the base rate with the weight of four labels. */
  probability: Schema.Finite,
  evidence: Schema.optionalKey(Schema.Array(LabelRef))
})
export type RuleCalibration = typeof RuleCalibration.Type

/** Fewer labels change no confidence. */
export const leastLabels = 5

/** The confidence that the labels support: HIGH from 0.8 on, MEDIUM below 0.5, else the one that was reported. */
export const calibrated = <A extends Confidence>(
  reported: A,
  calibration: RuleCalibration | null
): A | "HIGH" | "MEDIUM" =>
  calibration === null || calibration.accepted + calibration.rejected < leastLabels
    ? reported
    : calibration.probability >= 0.8
      ? "HIGH"
      : calibration.probability < 0.5
        ? "MEDIUM"
        : reported
