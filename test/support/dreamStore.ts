/** Puts what tasks found into the dream store of a repository, as the worker does it. */
import { Effect, Layer } from "effect"
import type { SessionProfile } from "../../src/domain/dream/SessionProfile.ts"
import { projectAt } from "../../src/layers/dream/spoolFile.ts"
import * as Directory from "../../src/layers/dream/store/Directory.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { DreamStore } from "../../src/services/dream/DreamStore.ts"

/** `home`: the directory of dd itself. */
export const putProfiles = (home: string, root: string, profiles: ReadonlyArray<SessionProfile>) =>
  Effect.runPromise(
    DreamStore.use((store) => Effect.forEach(profiles, (profile) => store.put(projectAt(root)!, profile))).pipe(
      Effect.provide(Directory.layer(home).pipe(Layer.provide(Platform.layer)))
    )
  )
