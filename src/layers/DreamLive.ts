/** The analysis tasks of the Dream engine: each line is a task that adds itself. */
import { Layer } from "effect"
import { DreamTasks } from "../services/dream/DreamTasks.ts"
import * as PhaseArc from "../services/dream/tasks/PhaseArc.ts"

export const tasks = Layer.mergeAll(PhaseArc.layer).pipe(Layer.provideMerge(DreamTasks.layer))
