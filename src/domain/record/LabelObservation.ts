/**
 * A label of a run: the 14 columns of `label_observations`, in their order.
 *
 * Bitemporal: `observed_at` is the time of recording, `valid_at` the time from which it is true. Labels are only added. The
 * newest one of a person counts, else the newest one of a program.
 */
import { DateTime, Option, Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"

export const outcomes = ["accepted", "contested", "rejected", "unknown"] as const
export type Outcome = (typeof outcomes)[number]

const text = Schema.NullOr(Schema.String)

export class LabelObservation extends Schema.Class<LabelObservation>("dd/LabelObservation")({
  session_id: SessionId,
  /** UTC, ISO 8601, with microseconds; unique in a run. */
  observed_at: Schema.NonEmptyString,
  /** A JSON list; empty: unknown. */
  labels: Schema.String,
  pr_state: text,
  labeler_version: Schema.String,
  evidence_sha: text,
  rubric_json: text,
  valid_at: text,
  reward_version: text,
  reward_json: text,
  composite_reward: Schema.NullOr(Schema.Finite),
  /** A JSON list. */
  reviewer_logins: text,
  has_posterior: Schema.Int,
  /** `human` or `auto`. */
  source: Schema.String
}) {}

export const observationColumns = Object.keys(LabelObservation.fields)

type Ranked = Pick<LabelObservation, "observed_at" | "source">

/** The observation that counts. */
export const winning = <A extends Ranked>(observations: ReadonlyArray<A>): A | null =>
  observations.reduce<A | null>((best, each) => (best === null || outranks(each, best) ? each : best), null)

const outranks = (a: Ranked, b: Ranked): boolean =>
  a.source === b.source ? a.observed_at > b.observed_at : a.source === "human"

/** Does an automatic observation equal the last automatic one? Then it needs no row. */
export const isRepeated = (next: LabelObservation, known: ReadonlyArray<LabelObservation>): boolean => {
  if (next.source === "human") return false
  const last = lastAutomatic(known)
  return (
    last !== null &&
    last.evidence_sha === next.evidence_sha &&
    last.reward_version === next.reward_version &&
    last.labels === next.labels
  )
}

/** The newest automatic observation. */
export const lastAutomatic = (known: ReadonlyArray<LabelObservation>): LabelObservation | null =>
  winning(known.filter(({ source }) => source !== "human"))

/** Compares times in the form that dd stores, because other programs may write another one. */
export const isSameObservation = (a: LabelObservation, b: LabelObservation): boolean =>
  JSON.stringify(normalized(a)) === JSON.stringify(normalized(b))

const normalized = (each: LabelObservation) => ({
  ...each,
  observed_at: withMicroseconds(each.observed_at),
  valid_at: withMicroseconds(each.valid_at ?? each.observed_at)
})

/** "unknown" is stored as no label. */
export const labelsOf = (outcome: Outcome): string => JSON.stringify(outcome === "unknown" ? [] : [outcome])

const decodeLabels = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The first label counts. */
export const outcomeOf = (labels: string): string =>
  Option.getOrElse(decodeLabels(labels), (): ReadonlyArray<string> => [])[0] ?? "unknown"

/** With microseconds, so that the texts sort by time: `2026-01-31T12:00:00.000000Z`. */
export const withMicroseconds = (iso: string): string =>
  iso.replace(
    /(?:\.(\d{1,6})\d*)?(?:Z|\+00:00)$/,
    (_, digits: string | undefined) => `.${(digits ?? "").padEnd(6, "0")}Z`
  )

export const nextMicrosecond = (at: string): string => {
  const [, seconds = "", digits = "0"] = /^(.*)\.(\d{6})Z$/.exec(withMicroseconds(at)) ?? []
  if (digits !== "999999") return `${seconds}.${String(Number(digits) + 1).padStart(6, "0")}Z`
  const later = DateTime.make(`${seconds}Z`).pipe(Option.map((time) => DateTime.add(time, { seconds: 1 })))
  return Option.match(later, { onNone: () => at, onSome: (time) => withMicroseconds(DateTime.formatIso(time)) })
}
