/** The analysis tasks of the Dream engine: each line is a task that adds itself. */
import { Layer } from "effect"
import { DreamTasks } from "../services/dream/DreamTasks.ts"
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
