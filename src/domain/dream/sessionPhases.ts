/**
 * How well a session goes and what the assistant is doing, by rules.
 *
 * Health is judged once for each period: a turn, or ten steps of a turn that is longer, because one prompt can lead to hundreds
 * of calls. Activity is judged after each step. A new phase counts after three judgements in a row; `Late` at once.
 */
import type { ActivityPhase, HealthPhase, SessionStep } from "./SessionView.ts"

/** A finished period. */
export interface Period {
  /** Unresolved errors at its end. */
  readonly errors: number
  readonly edits: number
  readonly explored: number
  readonly milestones: number
}

export const stepsOfPeriod = 10
/** From this period on, a session is late. */
export const latePeriod = 50

export interface Judgement<Phase> {
  readonly phase: Phase
  readonly reason: string
}

/** `periods`: the finished ones, in order. `number`: of the period that begins, from 1. */
export const judgedHealth = (periods: ReadonlyArray<Period>, number: number): Judgement<HealthPhase> => {
  const hasEdited = periods.some(({ edits }) => edits > 0)
  const last = (count: number) => periods.slice(-count)
  if (number >= latePeriod) return { phase: "Late", reason: `${number} periods` }
  if (number <= 5 && !hasEdited) return { phase: "Warmup", reason: "no edit yet" }
  if (periods.length < 3) {
    return hasEdited ? { phase: "Productive", reason: "edits" } : { phase: "Warmup", reason: "no edit yet" }
  }
  const milestones = last(5).some((period) => period.milestones > 0)
  const errors = periods.at(-1)!.errors
  if (errors >= 3 && !milestones && slope(last(10).map((period) => period.errors)) > 0.3) {
    return { phase: "Struggling", reason: `${errors} errors and more with each period` }
  }
  const edited = last(3).some(({ edits }) => edits > 0)
  if (edited || milestones) return { phase: "Productive", reason: edited ? "edits" : "a check succeeded" }
  const explored = last(3).map((period) => period.explored)
  if (explored.every((count, at) => at === 0 || count >= explored[at - 1]!)) {
    return { phase: "Exploring", reason: "reads without edits" }
  }
  return hasEdited ? { phase: "Productive", reason: "edits before" } : { phase: "Warmup", reason: "no edit yet" }
}

/** `recent`: the last twelve steps. `hasEdited`: at any time in the session. */
export const judgedActivity = (
  recent: ReadonlyArray<SessionStep>,
  { debt, hasEdited }: { readonly debt: number; readonly hasEdited: boolean }
): Judgement<ActivityPhase> => {
  const done = recent.filter(({ result }) => result === "ok")
  const isWrapping = recent
    .slice(-3)
    .some(
      ({ purpose, result }) => result === "ok" && (purpose === "commit" || purpose === "push" || purpose === "format")
    )
  if (isWrapping && debt === 0) return { phase: "Wrapping", reason: "a commit, and nothing unchecked" }
  const edits = done.filter(({ action }) => action === "edit").length
  const checks = recent.filter(({ purpose }) => purpose === "test" || purpose === "build" || purpose === "check").length
  if (checks >= 3 && checks >= edits) return { phase: "Verifying", reason: `${checks} checks` }
  if (edits >= 3) return { phase: "Building", reason: `${edits} edits` }
  return hasEdited ? { phase: "Exploring", reason: "few edits" } : { phase: "Orientation", reason: "no edit yet" }
}

/** The phase in force: a candidate must be judged three times in a row. */
export class Hysteresis<Phase extends string> {
  current: Phase
  private candidate: Phase | null = null
  private times = 0
  private readonly atOnce: ReadonlySet<Phase>

  constructor(first: Phase, atOnce: ReadonlySet<Phase> = new Set()) {
    this.current = first
    this.atOnce = atOnce
  }

  /** Does the phase change? */
  judge(phase: Phase): boolean {
    if (phase === this.current) {
      this.candidate = null
      return false
    }
    this.times = phase === this.candidate ? this.times + 1 : 1
    this.candidate = phase
    if (this.times < 3 && !this.atOnce.has(phase)) return false
    this.current = phase
    this.candidate = null
    return true
  }
}

/** Of the least-squares line through the values. */
const slope = (values: ReadonlyArray<number>): number => {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const spread = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
  return spread === 0 ? 0 : values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / spread
}
