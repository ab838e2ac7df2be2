/** Task 9: whether the session went better after an injection. See `domain/dream/tasks/injectionEffects.ts`. */
import { Effect, Layer } from "effect"
import { injectionEffects, injectionValues } from "../../../domain/dream/tasks/injectionEffects.ts"
import { DreamTasks } from "../DreamTasks.ts"
import { inParts } from "../inParts.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 9,
      name: "injection effectiveness",
      version: 2,
      about:
        "whether trust, focus, debt and errors were better than usual after an injection; a correlation, not a cause",
      always: false,
      budget: 100,
      run: Effect.fn("dream.injectionEffectiveness")(function* ({ profiles, session }) {
        const injections = yield* inParts(injectionValues(session, profiles))
        const effects = injectionEffects([{ injections }, ...profiles])
        return {
          part: { injections },
          contributions: [],
          summary: effects
            .slice(0, 3)
            .map(({ mean, measured, of }) => `${of}: ${mean.toFixed(2)} of ${measured} (correlation)`)
            .join("; ")
        }
      })
    })
  )
)
