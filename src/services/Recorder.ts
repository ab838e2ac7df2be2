/**
 * Remembers what the run did. Recording never fails a run: an implementation that cannot write
 * degrades to a warning.
 *
 * A port: `layers/recorder/*` keep events in memory, in an NDJSON file, or show them as progress.
 */
import { Context, type Effect } from "effect"
import type { RunEvent } from "../domain/RunEvent.ts"

export class Recorder extends Context.Service<
  Recorder,
  {
    readonly record: (event: RunEvent) => Effect.Effect<void>
  }
>()("dd/services/Recorder") {}
