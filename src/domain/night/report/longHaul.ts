/**
 * The extra work of a night with `--long-haul`: when it starts, what it tries, and when it stops. The
 * words of the reasons belong to the format.
 */
import { Schema } from "effect"
import { goDuration } from "../goDuration.ts"

export const LongHaul = Schema.Struct({
  enabled: Schema.Boolean,
  active: Schema.Boolean,
  trigger_reason: Schema.optionalKey(Schema.String),
  exit_reason: Schema.optionalKey(Schema.String),
  probe_count: Schema.optionalKey(Schema.Int),
  zero_delta_probe_streak: Schema.optionalKey(Schema.Int)
})
export type LongHaul = typeof LongHaul.Type

export interface LongHaulSignals {
  readonly enabled: boolean
  /** The probes that could run now. */
  readonly probes: number
  readonly packets: number
  /** Of the first packet; "" if there is none. */
  readonly confidence: string
  /** Is the first packet one that an earlier night found too? */
  readonly queueBacked: boolean
  readonly goal: boolean
  readonly brief: boolean
  /** The share of recent changes for which something was retrieved; null: unknown. */
  readonly coverage: number | null
}

export interface Activation {
  readonly active: boolean
  readonly trigger: string
  readonly exit: string
}

export const activation = (signals: LongHaulSignals): Activation => {
  const { brief, confidence, coverage, enabled, goal, packets, probes, queueBacked } = signals
  const inactive = (exit: string): Activation => ({ active: false, trigger: "", exit })
  const active = (trigger: string): Activation => ({ active: true, trigger, exit: "" })
  if (!enabled) return inactive("")
  if (probes === 0) return inactive("no runtime-ready long-haul probes configured")
  if (packets === 0) return active("no morning packet synthesized")
  if (confidence !== "high" && !queueBacked) return active("no strong queue-backed packet won")
  if (confidence !== "high") return active("top packet confidence below high")
  if (goal && !brief) return active("knowledge brief unavailable")
  if (coverage !== null && coverage < 0.5) return active("retrieval coverage below 0.50")
  return inactive("trigger threshold not met")
}

export type Probe = "knowledge-brief-fallback" | "packet-corroboration" | "council"

/** In the order in which they run. The council has nothing to add to a packet of high confidence. */
export const probesFor = (signals: LongHaulSignals, runners: number): ReadonlyArray<Probe> => {
  const isStrong = signals.packets > 0 && signals.confidence === "high" && (signals.brief || !signals.goal)
  return [
    ...(signals.goal && !signals.brief ? (["knowledge-brief-fallback"] as const) : []),
    ...(signals.packets > 0 ? (["packet-corroboration"] as const) : []),
    ...(runners > 0 && !isStrong ? (["council"] as const) : [])
  ]
}

/** Consecutive probes without an effect that end it. */
const longestStreak = 2

/** Checked before each probe and after the last; "" to go on. Times are in milliseconds. */
export const exitReason = (now: {
  readonly elapsed: number
  readonly budget: number
  /** The last probes that changed nothing. */
  readonly streak: number
  readonly left: number
}): string => {
  if (now.elapsed >= now.budget) return `budget exhausted after ${goDuration(now.budget)}`
  if (now.streak >= longestStreak) return `zero_delta_probe_streak >= ${longestStreak}`
  return now.left === 0 ? "no additional long-haul probes available" : ""
}
