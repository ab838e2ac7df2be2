/** What was learned in a project, for the review of a change in it. Read when it is first needed, once. */
import { Effect, Layer } from "effect"
import { learnedIn } from "../../domain/dream/learnedIn.ts"
import { LearnedArtifacts } from "../brief/LearnedArtifacts.ts"
import { type DreamProject, DreamStore } from "./DreamStore.ts"

export const layer = (project: DreamProject) =>
  Layer.effect(
    LearnedArtifacts,
    Effect.gen(function* () {
      const store = yield* DreamStore
      return yield* Effect.cached(
        Effect.gen(function* () {
          const { artifacts } = yield* store.artifacts(project)
          // Only profiles tell in which files an error occurred.
          const hasRepairs = artifacts.some(({ type }) => type === "RepairPattern")
          return learnedIn(artifacts, hasRepairs ? (yield* store.read(project)).profiles : [])
        })
      )
    })
  )
