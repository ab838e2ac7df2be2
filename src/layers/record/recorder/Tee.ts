/** Gives every event to several recorders, in the order they are listed. */
import { Effect, Layer } from "effect"
import type { RunEvent } from "../../../domain/run/RunEvent.ts"
import { Recorder } from "../../../services/run/Recorder.ts"

export const layer = <E, R>(sinks: ReadonlyArray<Effect.Effect<Recorder["Service"], E, R>>) =>
  Layer.effect(
    Recorder,
    Effect.map(Effect.all(sinks), (recorders) =>
      Recorder.of({
        record: (event: RunEvent) => Effect.forEach(recorders, (each) => each.record(event), { discard: true }),
        missing: Effect.map(
          Effect.forEach(recorders, (each) => each.missing),
          (all) => all.flat()
        )
      })
    )
  )
