/** Refs of contexts in memory: for runs that may not write, and for tests. */
import { Effect, Layer } from "effect"
import type { AgentRef } from "../../../domain/agent/AgentRef.ts"
import { MemoryLog } from "../../../services/agent/runtime/MemoryLog.ts"

export const layer = Layer.sync(MemoryLog, () => {
  const logs = new Map<string, Array<AgentRef>>()
  return MemoryLog.of({
    append: (context, refs) =>
      Effect.sync(() => {
        const log = logs.get(context) ?? []
        logs.set(context, log)
        log.push(...refs)
      }),
    read: (context) => Effect.sync(() => [...(logs.get(context) ?? [])])
  })
})
