/** A wall clock that goes back an hour at every reading, and a monotonic clock that goes on by a second. */
import { Clock, Effect, Layer } from "effect"

export const clockSetBack = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock) => {
    let hours = 500_000
    let seconds = 0
    const wall = () => {
      hours -= 1
      return hours * 3_600_000
    }
    return Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: wall,
      currentTimeMillis: Effect.sync(wall),
      monotonicTimeNanosUnsafe: () => {
        seconds += 1
        return BigInt(seconds) * 1_000_000_000n
      }
    })
  })
)
