/** Keeps the events where a test can read them. */
import { Context, Effect, Layer, Ref } from "effect"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { Recorder } from "../../src/services/run/Recorder.ts"

export class RecordedEvents extends Context.Service<RecordedEvents, Ref.Ref<ReadonlyArray<RunEvent>>>()(
  "dd/test/support/MemoryRecorder/RecordedEvents"
) {}

export const layer = Layer.effect(
  Recorder,
  RecordedEvents.use((events) =>
    Effect.succeed(Recorder.watching((event) => Ref.update(events, (all) => [...all, event])))
  )
).pipe(Layer.provideMerge(Layer.effect(RecordedEvents, Ref.make<ReadonlyArray<RunEvent>>([]))))
