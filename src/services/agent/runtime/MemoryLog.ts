/**
 * An append-only log of the refs of contexts, with which a killed run can be explained and its context continued.
 *
 * A port: `layers/agent/memory/File.ts` and `InProcess.ts`, which pass `test/support/memoryLogContract.ts`. An
 * implementation that cannot write logs one warning and does not fail.
 */
import { Context, type Effect } from "effect"
import type { AgentRef } from "../../../domain/agent/AgentRef.ts"

export class MemoryLog extends Context.Service<
  MemoryLog,
  {
    readonly append: (context: string, refs: ReadonlyArray<AgentRef>) => Effect.Effect<void>
    /** In the order of appending, without partly written refs. */
    readonly read: (context: string) => Effect.Effect<ReadonlyArray<AgentRef>>
  }
>()("dd/services/agent/runtime/MemoryLog") {}
