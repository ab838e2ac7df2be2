/** What dd learned of the repository under review, for its brief and its reviewers: from sessions, and from labels. */
import { Context, Effect, Layer } from "effect"
import type { LearnedArtifact } from "../../domain/brief/Learned.ts"

/** What may apply to files of these paths. */
type LearnedOf = (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<LearnedArtifact>>

/** None, unless a source is added, which `--no-learned` prevents. */
export const LearnedArtifacts = Context.Reference<LearnedOf>("dd/services/brief/LearnedArtifacts", {
  defaultValue: () => () => Effect.succeed([])
})

/** Adds a source to those that the context has. */
export const learnedFrom = (source: LearnedOf) =>
  Layer.effect(
    LearnedArtifacts,
    Effect.map(
      LearnedArtifacts,
      (others): LearnedOf =>
        (paths) =>
          Effect.zipWith(others(paths), source(paths), (before, own) => [...before, ...own])
    )
  )
