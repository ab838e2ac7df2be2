/**
 * Task 9: did a session go better after dd gave it context?
 *
 * Trust, focus, debt and errors at the injection are compared with those five turns or 20 steps later, in units of their
 * usual spread. The change that happens anyway is subtracted: what the session does over other stretches of the same length,
 * and for an injection at the start, what sessions without one do there. Without such a comparison there is no value. The
 * result is a correlation, not a cause.
 */
import { remembered } from "../../code/Repository.ts"
import { compareText } from "../../text/compareText.ts"
import type { InjectionValue, SessionProfile } from "../SessionProfile.ts"
import type { Injection, SessionSample, SessionView } from "../SessionView.ts"

type Value = (typeof InjectionValue)["Type"]

const turnsAfter = 5
const stepsAfter = 20
/** A session that ends earlier shows nothing. */
const leastSteps = 5
/** An injection before this step is at the start, where the figures are at their best. */
const startSteps = 3
const leastComparisons = 3
/** In spreads: a smaller difference is none. */
const leastDifference = 1

/** How far a figure usually moves within twenty steps. */
const spread = { trust: 15, focus: 20, debt: 3, errors: 2 }

type Figures = Pick<SessionSample, "trust" | "focus" | "debt"> & Partial<Pick<SessionSample, "errors">>

const gain = (before: Figures, after: Figures): number =>
  (after.trust - before.trust) / spread.trust +
  (after.focus - before.focus) / spread.focus -
  (after.debt - before.debt) / spread.debt -
  ((after.errors ?? 0) - (before.errors ?? 0)) / spread.errors

/** One for each injection; null for one without a comparison. */
export function* injectionValues(
  session: Pick<SessionView, "injections" | "samples">,
  others: ReadonlyArray<Pick<SessionProfile, "injections" | "trust">>
): Generator<void, ReadonlyArray<Value>> {
  const found: Array<Value> = []
  const usualIn = usualStretches(session)
  for (const injection of session.injections) {
    yield
    const value = valueAfter(injection, session.samples, { ofLength: usualIn, others })
    const { artifacts, id, sources } = injection
    found.push({ id, sources, artifacts, value })
  }
  return found
}

const valueAfter = (
  { step }: Injection,
  samples: ReadonlyArray<SessionSample>,
  usually: {
    readonly ofLength: (length: number) => number | null
    readonly others: ReadonlyArray<Pick<SessionProfile, "injections" | "trust">>
  }
): Value["value"] => {
  const before = samples[step]
  const end = endOf(samples, step)
  const after = samples[end]
  if (before === undefined || after === undefined || end - step < leastSteps) return null
  const isStart = step < startSteps
  const usual = isStart ? usualStart(usually.others, step, end) : usually.ofLength(end - step)
  if (usual === null) return null
  const difference = isStart ? gain(withoutErrors(before), withoutErrors(after)) : gain(before, after)
  const over = difference - usual
  return Math.abs(over) < leastDifference ? 0 : over > 0 ? 1 : -1
}

/** Profiles have no errors; trust includes them. */
const withoutErrors = ({ debt, focus, trust }: SessionSample): Figures => ({ debt, focus, trust })

/** The step of the sample to compare with: samples are in the order of steps, from step 0. */
const endOf = (samples: ReadonlyArray<SessionSample>, step: number): number => {
  const turn = samples[step]?.turn ?? 0
  const last = Math.min(samples.length - 1, step + stepsAfter)
  for (let at = step + 1; at <= last; at++) if (samples[at]!.turn >= turn + turnsAfter) return at
  return last
}

/** The mean gain over stretches of a length that no injection touches; null with too few of them. */
const usualStretches = ({ injections, samples }: Pick<SessionView, "injections" | "samples">) => {
  /** Injections before each step. */
  const before = new Array<number>(samples.length + 1).fill(0)
  for (const { step } of injections) if (step < samples.length) before[step + 1]!++
  for (let step = 1; step < before.length; step++) before[step]! += before[step - 1]!
  const touches = (from: number, length: number) =>
    before[Math.min(samples.length, from + length + 1)]! > before[Math.max(0, from - length)]!
  return remembered((length: number): number | null => {
    const gains: Array<number> = []
    // At half of a length, so that a long session has many stretches and a short one some.
    const stride = Math.max(1, Math.floor(length / 2))
    for (let from = startSteps; from + length < samples.length; from += stride) {
      if (!touches(from, length)) gains.push(gain(samples[from]!, samples[from + length]!))
    }
    return meanOf(gains)
  })
}

/** The mean gain between these steps in sessions in which no injection was measured. */
const usualStart = (
  others: ReadonlyArray<Pick<SessionProfile, "injections" | "trust">>,
  from: number,
  to: number
): number | null =>
  meanOf(
    others.flatMap(({ injections, trust }) => {
      const points = trust?.points ?? []
      const last = points.at(-1)
      if (injections.some(({ value }) => value !== null) || last === undefined || last.step < to) return []
      return [gain(between(points, from), between(points, to))]
    })
  )

type Points = NonNullable<SessionProfile["trust"]>["points"]

/** The figures at a step, on the line between the points around it. */
const between = (points: Points, step: number): Figures => {
  const before = points.findLast((point) => point.step <= step) ?? points[0]!
  const after = points.find((point) => point.step > step) ?? before
  const share = after.step === before.step ? 0 : (step - before.step) / (after.step - before.step)
  const at = (figure: "trust" | "focus" | "debt") => before[figure] + share * (after[figure] - before[figure])
  return { trust: at("trust"), focus: at("focus"), debt: at("debt") }
}

const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length < leastComparisons ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** What the injections of one artifact, or from one source, were followed by. */
export interface InjectionEffect {
  readonly of: string
  /** From 0 to 1, the mean of a Beta distribution that starts at (1, 1): above a half, sessions went better than usual. */
  readonly mean: number
  readonly measured: number
}

const leastMeasured = 5

/** By artifact and by source, the best first; a value of 0 counts half for each side. */
export const injectionEffects = (
  sessions: ReadonlyArray<Pick<SessionProfile, "injections">>
): ReadonlyArray<InjectionEffect> => {
  const sums = new Map<string, { better: number; measured: number }>()
  for (const { artifacts, sources, value } of sessions.flatMap(({ injections }) => injections)) {
    if (value === null) continue
    for (const of of new Set([...sources, ...artifacts])) {
      const sum = sums.get(of) ?? { better: 0, measured: 0 }
      sums.set(of, sum)
      sum.better += (value + 1) / 2
      sum.measured++
    }
  }
  return [...sums]
    .filter(([, { measured }]) => measured >= leastMeasured)
    .map(([of, { better, measured }]) => ({ of, mean: (better + 1) / (measured + 2), measured }))
    .sort((a, b) => b.mean - a.mean || compareText(a.of, b.of))
}
