/** When a request to a model that failed is sent again. */
import { Duration, Effect, Random, Schedule } from "effect"
import type { ModelError } from "./Model.ts"

/** Including the first. A malformed answer rarely succeeds later. */
export const maxTries = ({ kind }: ModelError): number => (kind === "malformed" ? 2 : 5)
/** If the provider asks for a longer wait, it is not sent again. */
const longestRequested = Duration.minutes(2)

/** Waits half a second to half a minute, with jitter, or as long as the provider asks for. */
export const turnRetries = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("30 seconds")]).pipe(
  Schedule.setInputType<ModelError>(),
  Schedule.modifyDelay(({ duration, input: { retryAfter } }) =>
    Effect.map(Random.next, (chance) =>
      Duration.max(retryAfter ?? Duration.zero, Duration.times(duration, 0.5 + chance / 2))
    )
  ),
  Schedule.while(
    ({ attempt, input }) =>
      input.retryable &&
      attempt < maxTries(input) &&
      Duration.isLessThanOrEqualTo(input.retryAfter ?? Duration.zero, longestRequested)
  )
)
