/** What sessions showed of a project, for the review of a change in it. Read when it is first needed, once. */
import { Effect, Layer } from "effect"
import { learnedIn } from "../../domain/dream/learnedIn.ts"
import { learnedFrom } from "../brief/LearnedArtifacts.ts"
import { type DreamProject, DreamStore } from "./DreamStore.ts"

export const layer = (project: DreamProject) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const store = yield* DreamStore
      const learned = yield* Effect.cached(
        Effect.gen(function* () {
          const { artifacts } = yield* store.artifacts(project)
          // Only profiles tell in which files an error occurred.
          const hasRepairs = artifacts.some(({ type }) => type === "RepairPattern")
          return learnedIn(artifacts, hasRepairs ? (yield* store.read(project)).profiles : [])
        })
      )
      return learnedFrom(() => learned)
    })
  )
