/**
 * The `jsonl` stream while a review runs: events as they happen, and a heartbeat every ten seconds. The findings and the
 * last line are written by the command.
 */
import { Effect, Ref, Schedule, Stdio, Stream } from "effect"
import { Recorder } from "../../services/run/Recorder.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { monotonicMillis } from "../../services/system/monotonicMillis.ts"
import { eventLine, heartbeatLine } from "./render/JsonLines.ts"

export const make = Effect.fnUntraced(function* (options: { readonly version: string }) {
  const stdio = yield* Stdio.Stdio
  const { text: redact } = yield* Redactor
  const running = yield* Ref.make<ReadonlyArray<string>>([])
  const startedAt = yield* monotonicMillis

  const isClosed = yield* Ref.make(false)

  // A closed reader ends the stream, not the review. Each further write would leak listeners.
  const write = Effect.fnUntraced(function* (line: string) {
    if (yield* Ref.get(isClosed)) return
    yield* Stream.run(Stream.make(line), stdio.stdout({ endOnDone: false })).pipe(
      Effect.catch(() => Ref.set(isClosed, true))
    )
  })

  const heartbeat = Effect.gen(function* () {
    const elapsed = Math.round((yield* monotonicMillis) - startedAt)
    yield* write(heartbeatLine(elapsed, yield* Ref.get(running)))
  })
  yield* heartbeat.pipe(Effect.delay("10 seconds"), Effect.repeat(Schedule.forever), Effect.forkScoped)

  return Recorder.watching(
    Effect.fnUntraced(function* (event) {
      if (event._tag === "StepStarted") yield* Ref.update(running, (steps) => [...steps, event.step])
      if (event._tag === "StepEnded") yield* Ref.update(running, (steps) => steps.filter((step) => step !== event.step))
      const line = eventLine(event, options.version, redact)
      if (line !== undefined) yield* write(line)
    })
  )
})
