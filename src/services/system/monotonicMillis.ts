/** Monotonic time in milliseconds, for durations and deadlines. Only differences are meaningful. */
import { Clock, Effect } from "effect"

export const monotonicMillisUnsafe = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

export const monotonicMillis: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.sync(() => monotonicMillisUnsafe(clock))
)
