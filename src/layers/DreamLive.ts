/** The Dream engine: its tasks and the worker that runs them. */
import { Layer } from "effect"
import { layerWebCrypto as layerSecureRandom } from "effect/crypto/SecureRandom"
import { DreamPass } from "../services/dream/DreamPass.ts"
import { DreamTasks } from "../services/dream/DreamTasks.ts"
import { everyTask } from "../services/dream/everyTask.ts"
import { RepositoryViews } from "../services/dream/RepositoryViews.ts"
import { Spool } from "../services/dream/Spool.ts"
import * as Synthesis from "../services/dream/Synthesis.ts"
import * as ConfiguredSynthesis from "./dream/ConfiguredSynthesis.ts"
import * as ProjectFolders from "./dream/ProjectFolders.ts"
import { digest, spoolOf } from "./dream/spoolPlace.ts"
import * as Directory from "./dream/store/Directory.ts"
import * as WorkerFiles from "./dream/WorkerFiles.ts"

export const tasks = Layer.succeed(DreamTasks, everyTask)

/** `home`: dd's own directory. */
export const worker = (home: string) =>
  DreamPass.layer.pipe(
    Layer.provide(Synthesis.layer(digest)),
    Layer.provideMerge(
      Layer.mergeAll(
        Spool.layer(spoolOf(home)),
        Directory.layer(home),
        ProjectFolders.layer,
        RepositoryViews.layer,
        WorkerFiles.layer(home),
        ConfiguredSynthesis.layer(home),
        layerSecureRandom,
        tasks
      )
    )
  )
