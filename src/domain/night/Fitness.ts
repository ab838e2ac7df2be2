/**
 * How good a generation is on reviews that it was not made from: metrics in [0, 1], higher is better, each with its sample size
 * and its interval.
 */
import { Schema } from "effect"

export const metricNames = [
  "suppression_precision",
  "suppression_recall",
  "retrieval_recall",
  "retrieval_precision",
  "ranking_ap",
  "calibration",
  "playbook_success",
  "evidence_integrity",
  "non_redundancy"
] as const
export type MetricName = (typeof metricNames)[number]

/** Those that are measured by reviews; the others, by the generation alone. */
export const isOfReviews = (name: MetricName): boolean => name !== "evidence_integrity" && name !== "non_redundancy"

const sample = {
  /** The items it was measured on. */
  n: Schema.Int,
  /** Of the 95 % interval. */
  lo: Schema.Finite,
  hi: Schema.Finite
}

/** `insufficient`: fewer than 20 items, not gated; `dormant`: nothing of its kind exists. Neither has a value. */
export const Metric = Schema.Union([
  Schema.Struct({ value: Schema.Finite, ...sample, state: Schema.Literal("ok") }),
  Schema.Struct({ value: Schema.Null, ...sample, state: Schema.Literals(["insufficient", "dormant"]) })
])
export type Metric = typeof Metric.Type

export type Metrics = Readonly<Record<MetricName, Metric>>

/** One item of a metric, so that two generations are compared on the same items. By the item's name; 1 is good. */
export type ItemScores = Readonly<Partial<Record<MetricName, ReadonlyMap<string, number>>>>

/** What no fitness outweighs. */
export interface Veto {
  readonly kind: "hides-accepted-high" | "hides-accepted-again"
  /** The item of the corpus, and the label. */
  readonly detail: string
}

export interface Measurement {
  readonly metrics: Metrics
  readonly items: ItemScores
  readonly vetoes: ReadonlyArray<Veto>
}
