/**
 * Runs work again after a transient failure. The events of a failed try stay, because it may have cost something; the end
 * of a failed turn after them shows that they belong to no answer.
 */
import { Clock, DateTime, Duration, Effect, Pull, Random, Schedule, Stream } from "effect"
import { budgetShare, type Task } from "../../../domain/agent/Task.ts"
import { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import type { Backend, BackendError, NoModel, Repair } from "../../../services/agent/Backend.ts"

/** Fails as the last try. Unlike with `Stream.retry`, events do not reset the schedule. */
export const retried = <E extends { readonly message: string }>(
  once: Stream.Stream<AgentEvent, E>,
  schedule: Schedule.Schedule<unknown, E>
): Stream.Stream<AgentEvent, E> =>
  Stream.unwrap(
    Effect.map(Schedule.toStepWithSleep(schedule), (step) => {
      const tried: Stream.Stream<AgentEvent, E> = Stream.catch(once, (error) =>
        step(error).pipe(
          Effect.andThen(Effect.logDebug(`${error.message}; trying again`)),
          Effect.andThen(failedTurn),
          Effect.map((failed) =>
            Stream.concat(
              Stream.make(failed),
              Stream.suspend(() => tried)
            )
          ),
          Pull.catchDone(() => Effect.succeed(Stream.fail(error))),
          Stream.unwrap
        )
      )
      return tried
    })
  )

const failedTurn = Effect.map(DateTime.now, (now) =>
  AgentEvent.make({ _tag: "TurnEnd", timestamp: DateTime.formatIso(now), messageId: "", stopReason: "failed" })
)

/** Including the first. */
const maxTries = 3

/** For a coding CLI: three processes at most, one after the other, and none that would begin after the deadline of its task, `seconds`. */
export const withRetries = (backend: Backend["Service"], seconds: number): Backend["Service"] => ({
  ...backend,
  execute: (task: Task, repair?: Repair) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const endsAt = (yield* Clock.currentTimeMillis) + seconds * budgetShare(task) * 1000
        const schedule = Schedule.exponential("1 second").pipe(
          Schedule.setInputType<BackendError | NoModel>(),
          // Spreads the tries of tasks that failed at the same time.
          Schedule.modifyDelay(({ duration }) =>
            Effect.map(Random.next, (chance) => Duration.times(duration, 1 + chance))
          ),
          Schedule.while(
            ({ attempt, duration, input, now }) =>
              input._tag === "BackendFailed" &&
              input.retryable &&
              attempt < maxTries &&
              now + Duration.toMillis(duration) < endsAt
          )
        )
        return retried(repair === undefined ? backend.execute(task) : backend.execute(task, repair), schedule)
      })
    )
})
