/**
 * The statistics of a night, without a library: intervals of 95 %, tests of the same items before and after, and scores of
 * predictions. Nothing here draws from a clock or a source of randomness: a seed is given.
 */

export interface Interval {
  readonly lo: number
  readonly hi: number
}

/** The normal distribution has 95 % of its mass within this many standard deviations. */
const z = 1.959963984540054

/**
 * The Wilson score interval of a share. `sum` may be the sum of scores between 0 and 1: their variance is at most that of a share
 * with the same mean, so the interval is then too wide rather than too narrow. Of nothing, it is the whole range.
 */
export const wilson = (sum: number, n: number): Interval => {
  if (n === 0) return { lo: 0, hi: 1 }
  const share = sum / n
  const scale = 1 + (z * z) / n
  const middle = (share + (z * z) / (2 * n)) / scale
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  // At 0 and n the bound is exactly 0 or 1; rounding would miss it.
  return { lo: sum <= 0 ? 0 : middle - half, hi: sum >= n ? 1 : middle + half }
}

export const mean = (values: ReadonlyArray<number>): number => {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Of a mean, by the normal approximation, which 20 values or more justify. */
export const meanInterval = (values: ReadonlyArray<number>): Interval => {
  const middle = mean(values)
  let squares = 0
  for (const value of values) squares += (value - middle) ** 2
  const half = z * Math.sqrt(squares / Math.max(1, values.length - 1) / values.length)
  return { lo: middle - half, hi: middle + half }
}

/**
 * The exact two-sided sign test, which is McNemar's test for scores of 0 and 1: how probable it is that `better` and `worse` differ
 * at least this much if both are equally likely.
 */
export const signTest = (better: number, worse: number): number => {
  const n = better + worse
  const most = Math.max(better, worse)
  let logTerm = -n * Math.LN2
  for (let i = 1; i <= n - most; i++) logTerm += Math.log((most + i) / i)
  let term = Math.exp(logTerm)
  let tail = 0
  for (let i = most; i <= n; i++) {
    tail += term
    term *= (n - i) / (i + 1)
  }
  return Math.min(1, 2 * tail)
}

const resamples = 1000

/** The percentile bootstrap interval of the mean. The same values and seed give the same interval. */
export const bootstrapMean = (values: ReadonlyArray<number>, seed: number): Interval => {
  const next = generator(seed)
  const given = Float64Array.from(values)
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0
    for (let i = 0; i < given.length; i++) sum += given[Math.floor(next() * given.length)] ?? 0
    return sum / given.length
  }).sort()
  const outside = Math.floor(resamples * 0.025)
  return { lo: means[outside] ?? 0, hi: means[resamples - 1 - outside] ?? 0 }
}

/** SplitMix with 32 bits of state: numbers from 0 up to, but not, 1. */
const generator = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/**
 * Are the same items worse? Only a difference that chance explains in less than 5 % of cases counts: by the sign test if each item
 * is right or wrong, else by the bootstrap interval of the mean difference.
 */
export const isWorse = (differences: ReadonlyArray<number>, seed: number): boolean => {
  if (differences.length === 0) return false
  if (differences.every((each) => each === 0 || each === 1 || each === -1)) {
    const better = differences.filter((each) => each > 0).length
    const worse = differences.filter((each) => each < 0).length
    return worse > better && signTest(better, worse) < 0.05
  }
  return mean(differences) < 0 && bootstrapMean(differences, seed).hi < 0
}

/** What was predicted of a finding, and what a person said. */
export interface Prediction {
  readonly probability: number
  readonly accepted: boolean
}

/**
 * Of each accepted one, in the order given: the share of accepted ones among those predicted at least as probable. Their mean is
 * the average precision. Equal probabilities share a rank, so the order of the list does not matter.
 */
export const precisions = (predictions: ReadonlyArray<Prediction>): ReadonlyArray<number> => {
  const groups = new Map<number, { accepted: number; all: number }>()
  for (const { accepted, probability } of predictions) {
    const group = groups.get(probability) ?? { accepted: 0, all: 0 }
    groups.set(probability, { accepted: group.accepted + (accepted ? 1 : 0), all: group.all + 1 })
  }
  const precisionAt = new Map<number, number>()
  let [accepted, all] = [0, 0]
  for (const [probability, group] of [...groups].sort(([a], [b]) => b - a)) {
    accepted += group.accepted
    all += group.all
    precisionAt.set(probability, accepted / all)
  }
  return predictions.filter((each) => each.accepted).map((each) => precisionAt.get(each.probability) ?? 0)
}

/** The squared error of a prediction; the mean of them is the Brier score. */
export const squaredError = ({ accepted, probability }: Prediction): number => (probability - (accepted ? 1 : 0)) ** 2
