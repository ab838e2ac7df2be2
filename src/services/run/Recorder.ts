/**
 * Records what the run did. Recording never fails a run: an implementation that cannot write degrades to a warning and
 * lists in `missing` what is not in the record.
 *
 * A port: `layers/record/recorder/*` keep events in memory, write a trajectory, or show progress.
 */
import { Context, Effect } from "effect"
import type { Degraded } from "../../domain/change/Degraded.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"

export class Recorder extends Context.Service<
  Recorder,
  {
    readonly record: (event: RunEvent) => Effect.Effect<void>
    /** What could not be recorded so far, in order. */
    readonly missing: Effect.Effect<ReadonlyArray<Degraded>>
  }
>()("dd/services/run/Recorder") {
  /** A recorder that stores nothing, and so has no missing events. */
  static readonly watching = (record: (event: RunEvent) => Effect.Effect<void>): Recorder["Service"] =>
    Recorder.of({ record, missing: Effect.succeed([]) })
}
