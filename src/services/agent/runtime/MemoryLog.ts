/**
 * The refs of contexts, kept beyond the process: appended as they happen and never changed, so that a run that was killed
 * can be explained, and its context taken up again.
 *
 * A port: `layers/agent/memory/File.ts` and `InProcess.ts`, each of which passes `test/support/memoryLogContract.ts`. Remembering
 * never fails a run: an implementation that cannot write says so, once, as a warning.
 */
import { Context, type Effect } from "effect"
import type { AgentRef } from "../../../domain/agent/AgentRef.ts"

export class MemoryLog extends Context.Service<
  MemoryLog,
  {
    /** `context` is the id of one. */
    readonly append: (context: string, refs: ReadonlyArray<AgentRef>) => Effect.Effect<void>
    /** In the order in which they were appended; what a kill left half is not there. */
    readonly read: (context: string) => Effect.Effect<ReadonlyArray<AgentRef>>
    /** Ids of all that were written to, sorted. */
    readonly contexts: Effect.Effect<ReadonlyArray<string>>
  }
>()("dd/services/agent/runtime/MemoryLog") {}
