/** Task 8: the most frequent commands, and those always denied or allowed. See `domain/dream/tasks/commandFrequency.ts`. */
import { Effect, Layer } from "effect"
import { commandCounts, commandSuggestions } from "../../../domain/dream/tasks/commandFrequency.ts"
import { DreamTasks } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 8,
      name: "command frequency",
      version: 2,
      about: "the ten most frequent commands, and those that were always denied or never",
      always: false,
      budget: 100,
      run: Effect.fn("dream.commandFrequency")(({ profiles, session }) =>
        Effect.sync(() => {
          const commands = commandCounts(session.steps)
          const denied = commandSuggestions([{ commands }, ...profiles]).filter(({ kind }) => kind === "always denied")
          const [first] = commands
          return {
            part: { commands },
            contributions: [],
            summary: [
              ...(first === undefined ? [] : [`most often ${first.family}`]),
              ...(denied.length === 0
                ? []
                : [`always denied, suggested rule: deny ${denied.map(({ rule }) => rule).join(", ")}`])
            ].join("; ")
          }
        })
      )
    })
  )
)
