/** Projects as folders: that of the main working tree, so that all working trees of a repository have one store. */
import { Effect, FileSystem, Layer, Option } from "effect"
import { DreamProjects } from "../../services/dream/DreamProjects.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { projectAt } from "./spoolFile.ts"

export const layer = Layer.effect(
  DreamProjects,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return DreamProjects.of({
      find: Effect.fn("DreamProjects.find")(function* (key, folder) {
        const around = Effect.try({ try: () => projectAt(folder), catch: systemErrorText })
        const found = Option.getOrNull(yield* Effect.option(around))
        if (found?.key !== key) return null
        return (yield* Effect.orElseSucceed(fs.exists(found.root), () => false)) ? found : null
      })
    })
  })
)
