/** How long a stage of a pack may look for more. A guard: no ordinary repository meets it, and a pack says so if one does. */
import { Context, Effect } from "effect"
import { monotonicMillis } from "../system/monotonicMillis.ts"

export const StageSeconds = Context.Reference<number>("dd/services/pack/StageSeconds", { defaultValue: () => 20 })

/** From now on: has the time passed? */
export const stageDeadline = Effect.gen(function* () {
  const end = (yield* monotonicMillis) + (yield* StageSeconds) * 1000
  return Effect.map(monotonicMillis, (now) => now > end)
})
