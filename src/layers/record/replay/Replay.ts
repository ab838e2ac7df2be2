/**
 * A recorded run as a backend: each task gets its recorded answers in the same order, without a model and at no cost. A
 * call that the recording does not have fails.
 */
import { DateTime, Effect, Layer, Schema, Stream } from "effect"
import { label, replies, type Task, taskText } from "../../../domain/agent/Task.ts"
import { eventsOf, type Recording } from "../../../domain/record/Recording.ts"
import { AgentEvent, promptedOf } from "../../../domain/run/AgentEvent.ts"
import { type Phase, phases } from "../../../domain/run/BackendChoice.ts"
import { Backend, BackendFailed } from "../../../services/agent/Backend.ts"
import { StaticReviewMissing, StaticReviews } from "../../../services/agent/StaticReviews.ts"
import { FailPolicy } from "../../../services/run/FailPolicy.ts"

export const layer = (recording: Recording, fanout: number) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const onFailure = yield* FailPolicy
      /** How many calls of each name were answered. */
      const answered = new Map<string, number>()

      const execute = (task: Task) =>
        Stream.unwrap(
          Effect.map(DateTime.now, (now) => {
            const name = label(task)
            const turn = answered.get(name) ?? 0
            answered.set(name, turn + 1)
            const failed = (cause: string) =>
              Stream.fail(new BackendFailed({ backend: "replay", retryable: false, cause }))
            const call = recording.calls.get(name)?.[turn]
            if (call === undefined) {
              const which = turn === 0 ? "no call" : `only ${turn} ${turn === 1 ? "call" : "calls"}`
              return failed(`the recording ${recording.sessionId} has ${which} of that name`)
            }
            const timestamp = DateTime.formatIso(now)
            const prompted = promptedOf("replay", timestamp, { system: [], user: [taskText(task)] })
            const events = Stream.fromIterable([prompted, ...eventsOf(call, timestamp)])
            return Stream.concat(
              events,
              call.failure === null
                ? Stream.make(AgentEvent.make({ _tag: "Result", timestamp, output: call.output }))
                : failed(call.failure)
            )
          })
        )

      return Backend.of({
        name: "replay",
        model: recording.model,
        phases: new Set(phases.filter((phase) => answers(phase, recording))),
        fanout,
        check: Effect.forEach(
          recording.fallbacks,
          (entry) => onFailure.degrade({ ...entry, detail: `as recorded: ${entry.detail}` }),
          { discard: true }
        ),
        execute
      })
    })
  )

/** The edits of a fix are not recorded. Runs of an older dd have no verification. */
const answers = (phase: Phase, { calls, source }: Recording): boolean =>
  phase !== "fix" &&
  (phase !== "per-stack-reviews" || source === "model") &&
  (phase !== "verify" || [...calls.keys()].some((name) => name.startsWith("verify")))

/** What dd's own rules found in the recorded run, which no model reviewed. */
export const staticReviews = ({ calls, sessionId }: Recording) =>
  Layer.succeed(
    StaticReviews,
    StaticReviews.of({
      review: Effect.fnUntraced(function* (_, stack) {
        const name = `review:${stack.name}`
        const missing = (reason: string) => new StaticReviewMissing({ stack: stack.name, reason })
        const call = calls.get(name)?.[0]
        if (call === undefined) return yield* missing(`the recording ${sessionId} has no call of that name`)
        if (call.failure !== null) return yield* missing(call.failure)
        const reply = yield* Schema.decodeUnknownEffect(replies.StackReview)(call.output).pipe(
          Effect.mapError(() => missing(`the recording ${sessionId} has an answer that cannot be read`))
        )
        return {
          records: reply.issues ?? [],
          coverage: reply.coverage ?? [],
          rulesApplied: reply.rules ?? [],
          omitted: reply.omitted ?? []
        }
      })
    })
  )
