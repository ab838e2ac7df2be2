/** A monotonic clock on which every reading takes some milliseconds. */
import { Clock, Effect, Layer } from "effect"

export const slowClock = (millis: number) =>
  Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (clock) => {
      let now = 0n
      const tick = () => {
        now += BigInt(millis) * 1_000_000n
        return now
      }
      return { ...clock, monotonicTimeNanosUnsafe: tick }
    })
  )
