/** The Dream engine: its tasks, each of which adds itself, and the worker that runs them. */
import { Layer } from "effect"
import { layerWebCrypto as layerSecureRandom } from "effect/crypto/SecureRandom"
import { DreamPass } from "../services/dream/DreamPass.ts"
import { DreamTasks } from "../services/dream/DreamTasks.ts"
import { DreamWorker } from "../services/dream/DreamWorker.ts"
import { RepositoryViews } from "../services/dream/RepositoryViews.ts"
import { Spool } from "../services/dream/Spool.ts"
import * as Synthesis from "../services/dream/Synthesis.ts"
import * as CommandFrequency from "../services/dream/tasks/CommandFrequency.ts"
import * as Conventions from "../services/dream/tasks/Conventions.ts"
import * as ErrorClusters from "../services/dream/tasks/ErrorClusters.ts"
import * as FileRelationships from "../services/dream/tasks/FileRelationships.ts"
import * as InjectionEffectiveness from "../services/dream/tasks/InjectionEffectiveness.ts"
import * as LoopAnalysis from "../services/dream/tasks/LoopAnalysis.ts"
import * as PhaseArc from "../services/dream/tasks/PhaseArc.ts"
import * as RepairSequences from "../services/dream/tasks/RepairSequences.ts"
import * as ResumeNotes from "../services/dream/tasks/ResumeNotes.ts"
import * as TrustTrajectory from "../services/dream/tasks/TrustTrajectory.ts"
import * as ConfiguredSynthesis from "./dream/ConfiguredSynthesis.ts"
import * as ProjectFolders from "./dream/ProjectFolders.ts"
import { digest, spoolOf } from "./dream/spoolPlace.ts"
import * as Directory from "./dream/store/Directory.ts"
import * as WorkerFiles from "./dream/WorkerFiles.ts"

export const tasks = Layer.mergeAll(
  PhaseArc.layer,
  ErrorClusters.layer,
  RepairSequences.layer,
  Conventions.layer,
  LoopAnalysis.layer,
  TrustTrajectory.layer,
  FileRelationships.layer,
  CommandFrequency.layer,
  InjectionEffectiveness.layer,
  ResumeNotes.layer
).pipe(Layer.provideMerge(DreamTasks.layer))

/** `home`: dd's own directory. */
export const worker = (home: string) =>
  DreamWorker.layer.pipe(
    Layer.provide(DreamPass.layer),
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
