/**
 * One number for a generation, and for the difference of two: the weighted mean of the metrics that can be measured, in both if
 * there are two. What cannot be measured counts neither as good nor as bad.
 */
import { type MetricName, type Metrics, metricNames } from "./Fitness.ts"

export interface Gauge {
  readonly weight: number
  /** A smaller drop is no regression. */
  readonly floor: number
}
export type Gauges = Readonly<Record<MetricName, Gauge>>

export const gauges: Gauges = {
  suppression_precision: { weight: 0.25, floor: 0.02 },
  suppression_recall: { weight: 0.1, floor: 0.05 },
  retrieval_recall: { weight: 0.2, floor: 0.05 },
  retrieval_precision: { weight: 0.1, floor: 0.05 },
  ranking_ap: { weight: 0.1, floor: 0.05 },
  calibration: { weight: 0.1, floor: 0.05 },
  playbook_success: { weight: 0.05, floor: 0.05 },
  evidence_integrity: { weight: 0.05, floor: 0.02 },
  non_redundancy: { weight: 0.05, floor: 0.05 }
}

export const measurable = (...all: ReadonlyArray<Metrics>): ReadonlyArray<MetricName> =>
  metricNames.filter((name) => all.every((metrics) => metrics[name].state === "ok"))

/** The weighted mean of a figure of these metrics; 0 without metrics. */
export const weighted = (
  names: ReadonlyArray<MetricName>,
  figure: (name: MetricName) => number,
  given: Gauges = gauges
): number => {
  let [sum, weights] = [0, 0]
  for (const name of names) {
    sum += given[name].weight * figure(name)
    weights += given[name].weight
  }
  return weights === 0 ? 0 : sum / weights
}

/** Of a metric that can be measured. */
const valueIn = (metrics: Metrics, name: MetricName): number => metrics[name].value ?? 0

/** Of a metric that can be measured in both. */
export const changeBetween =
  (before: Metrics, after: Metrics) =>
  (name: MetricName): number =>
    valueIn(after, name) - valueIn(before, name)

export type FitnessMap = Readonly<Record<string, number>>

/**
 * For `fitness_before` and `fitness_after` in the summary: what could be measured. `composite`, if there is one, is that of the metrics
 * that could be measured in both, so that the two can be compared.
 */
export const fitnessMaps = (
  before: Metrics,
  after: Metrics
): { readonly before: FitnessMap; readonly after: FitnessMap } => {
  const shared = measurable(before, after)
  const mapOf = (metrics: Metrics): FitnessMap => ({
    ...Object.fromEntries(measurable(metrics).map((name) => [name, valueIn(metrics, name)])),
    ...(shared.length === 0 ? {} : { composite: weighted(shared, (name) => valueIn(metrics, name)) })
  })
  return { before: mapOf(before), after: mapOf(after) }
}

/** For `fitness_delta`: what could be measured in both. */
export const fitnessDelta = (before: Metrics, after: Metrics): FitnessMap => {
  const shared = measurable(before, after)
  const change = changeBetween(before, after)
  return shared.length === 0
    ? {}
    : { ...Object.fromEntries(shared.map((name) => [name, change(name)])), composite: weighted(shared, change) }
}
