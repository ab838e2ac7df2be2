/**
 * What a night learned, for a review: the pointer and the generation that counts, read once and when they are first needed, without
 * a lock and without a database. A corpus that cannot be used hides nothing, and the review says so.
 */
import { Effect, Layer } from "effect"
import { Learned, type LearnedFromLabels, nothingLearned } from "../../services/finding/Learned.ts"
import { FailPolicy } from "../../services/run/FailPolicy.ts"
import { corpusFolder } from "./corpus/corpusFiles.ts"

/** `home`: dd's own directory. */
export const layer = (home: string, project: string) =>
  Layer.effect(
    Learned,
    Effect.gen(function* () {
      const onFailure = yield* FailPolicy
      const folder = yield* corpusFolder(home, project)
      return yield* Effect.cached(
        folder.current.pipe(
          Effect.map(
            ({ calibration, number, suppressions }): LearnedFromLabels => ({
              generation: number,
              suppressions,
              calibration
            })
          ),
          onFailure.open("learned-from-labels", nothingLearned)
        )
      )
    })
  )
