/**
 * Projects as folders: that of the main working tree, so that all working trees of a repository have one store. A folder that is in no
 * repository has none: dd writes nothing into it.
 */
import { Effect, FileSystem, Layer, Option } from "effect"
import { DreamProjects, type ProjectFault } from "../../services/dream/DreamProjects.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { placeOf } from "./spoolFile.ts"

const placeAt = (folder: string) => Effect.try({ try: () => placeOf(folder), catch: systemErrorText })

export const layer = Layer.effect(
  DreamProjects,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return DreamProjects.of({
      find: Effect.fn("DreamProjects.find")(function* (key, folders) {
        let fault: ProjectFault = "gone"
        for (const folder of new Set(folders)) {
          const place = Option.getOrNull(yield* Effect.option(placeAt(folder)))
          if (place?.project !== key) continue
          const isThere = yield* Effect.orElseSucceed(fs.exists(place.main ?? place.root), () => false)
          if (isThere && place.main !== null) return { key, root: place.main }
          if (isThere) fault = "outside"
        }
        return fault
      })
    })
  })
)
