/** Task 10: the resume packet of the session, for the next one in the project. Always emits. */
import { Effect, Layer } from "effect"
import { packetOf } from "../../../domain/dream/packet/packetOf.ts"
import { DreamTasks } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 10,
      name: "resume packet",
      version: 6,
      about: "where the session stopped, for the next one",
      always: true,
      budget: 100,
      run: ({ artifacts, profiles, session }) =>
        Effect.sync(() => {
          const packet = packetOf({ artifacts, profiles, session })
          return { part: { packet }, contributions: [], summary: `${packet.items.length} notes` }
        })
    })
  )
)
