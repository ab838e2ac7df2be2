/** Measurements with given values: each metric has items whose mean is its value. */
import { type Measurement, type Metric, type MetricName, metricNames } from "../../../src/domain/night/Fitness.ts"
import { wilson } from "../../../src/domain/night/statistics.ts"

export const dormantMetric: Metric = { value: null, n: 0, lo: 0, hi: 1, state: "dormant" }

export type Values = Readonly<Partial<Record<MetricName, number>>>

/** Metrics without a value are dormant. The first items are the good ones, so a lower value loses items and gains none. */
export const measurementOf = (values: Values, n = 1000): Measurement => {
  const metrics: Record<string, Metric> = {}
  const items: Partial<Record<MetricName, ReadonlyMap<string, number>>> = {}
  for (const name of metricNames) {
    const value = values[name]
    metrics[name] = dormantMetric
    if (value === undefined) continue
    const good = Math.round(value * n)
    metrics[name] = { value, n, ...wilson(good, n), state: "ok" }
    items[name] = new Map(Array.from({ length: n }, (_, at) => [`i${at}`, at < good ? 1 : 0]))
  }
  return { metrics: metrics as Measurement["metrics"], items, vetoes: [] }
}
