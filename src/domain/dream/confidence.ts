/**
 * How sure dd is of what it learned: one formula for all artifacts.
 *
 * Confidence is the mean of a Beta distribution that starts at (0.4, 0.6). One success gives 0.70, the threshold of an artifact;
 * three give 0.85; twelve, with half a failure, 0.92. One success and one failure give 0.47, below the line under which
 * artifacts are removed first. Evidence loses half of its weight in 90 days.
 */
import type { ArtifactType } from "./Artifact.ts"

/** Successes and failures; decay makes them fractions. */
export interface Evidence {
  readonly s: number
  readonly f: number
}

export const confidenceOf = ({ f, s }: Evidence): number => (s + 0.4) / (s + f + 1)

/** Days in the future count as today. */
export const decayed = ({ f, s }: Evidence, days: number): Evidence => {
  const share = 2 ** (-Math.max(0, days) / 90)
  return { s: s * share, f: f * share }
}

/** What is less certain is not emitted. */
export const emitThreshold = 0.7

/** Do enough items have it in common to call it a convention: at least five, and nine of ten? */
export const isCommon = ({ f, s }: Evidence, items = s + f): boolean => items >= 5 && s / (s + f) >= 0.9

/**
 * Is there enough for an artifact? `evidence` is decayed until the latest session that observed it, not until now: what was
 * emitted once is not taken back by time alone. A sequence is a way of working only when two sessions have it, a convention when
 * enough `items` have it in common, each counted as one.
 */
export const isSupported = (
  type: ArtifactType,
  evidence: Evidence & { readonly sessions: number; readonly items: number }
): boolean =>
  confidenceOf(evidence) >= emitThreshold &&
  (type !== "SuccessfulSequence" || evidence.sessions >= 2) &&
  (type !== "ProjectConvention" || isCommon(evidence, evidence.items))
