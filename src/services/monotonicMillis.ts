/** Milliseconds that pass, by a clock that nobody can set: for durations and deadlines. Only differences mean anything. */
import { Clock, Effect } from "effect"

export const monotonicMillisUnsafe = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

export const monotonicMillis: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.sync(() => monotonicMillisUnsafe(clock))
)
