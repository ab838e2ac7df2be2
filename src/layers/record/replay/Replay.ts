/**
 * A recorded run as a backend: each task gets what it got then, in the same order, without a model, a network or a
 * price. What the recording does not have fails, and says so.
 */
import { DateTime, Effect, Layer, Stream } from "effect"
import { asked, label, type Task } from "../../../domain/agent/Task.ts"
import { eventsOf, type Recording } from "../../../domain/record/Recording.ts"
import { AgentEvent, promptedOf } from "../../../domain/run/AgentEvent.ts"
import { Backend, BackendFailed } from "../../../services/agent/Backend.ts"

export const layer = (recording: Recording, fanout: number) =>
  Layer.sync(Backend, () => {
    /** How many calls of each name were answered. */
    const answered = new Map<string, number>()

    const execute = (task: Task) =>
      Stream.unwrap(
        Effect.map(DateTime.now, (now) => {
          const name = label(task)
          const turn = answered.get(name) ?? 0
          answered.set(name, turn + 1)
          const failed = (cause: string) =>
            Stream.fail(new BackendFailed({ backend: "replay", task: name, retryable: false, cause }))
          const call = recording.calls.get(name)?.[turn]
          if (call === undefined) {
            const which = turn === 0 ? "no call" : `only ${turn} ${turn === 1 ? "call" : "calls"}`
            return failed(`the recording ${recording.sessionId} has ${which} of that name`)
          }
          const timestamp = DateTime.formatIso(now)
          const prompted = promptedOf("replay", timestamp, { system: [], user: [asked(task)] })
          const said = Stream.fromIterable([prompted, ...eventsOf(call, timestamp)])
          return Stream.concat(
            said,
            call.failure === null
              ? Stream.make(AgentEvent.make({ _tag: "Result", timestamp, output: call.output }))
              : failed(call.failure)
          )
        })
      )

    return Backend.of({
      name: "replay",
      model: recording.model,
      source: recording.source,
      fanout,
      execute
    })
  })
