/** Task 7: files that are edited together. See `domain/dream/tasks/fileRelationships.ts`. */
import { Effect, Layer } from "effect"
import { pairsOfSession, relatedFiles } from "../../../domain/dream/tasks/fileRelationships.ts"
import { DreamTasks } from "../DreamTasks.ts"
import { inParts } from "../inParts.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 7,
      name: "file relationships",
      version: 1,
      about: "pairs of files that are edited together in at least three turns of two sessions, or in three commits",
      always: false,
      budget: 500,
      run: Effect.fn("dream.fileRelationships")(function* ({ profiles, repository, session }) {
        const part = yield* inParts(pairsOfSession(session.steps))
        const related = relatedFiles([part, ...profiles], repository.commits)
        return { part, contributions: [], summary: related.length === 0 ? "" : `${related.length} related pairs` }
      })
    })
  )
)
