/** Checks a change in its whole repository: every check that is not of one file alone. */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { RepositoryReview } from "../../domain/finding/RepositoryReview.ts"
import { CaseReviewer } from "./CaseReviewer.ts"
import { CloneReviewer } from "./CloneReviewer.ts"
import { ContractReviewer } from "./ContractReviewer.ts"
import { CycleReviewer } from "./CycleReviewer.ts"
import { DriftReviewer } from "./DriftReviewer.ts"
import { ImportReviewer } from "./ImportReviewer.ts"
import { OverrideReviewer } from "./OverrideReviewer.ts"
import { TestGapReviewer } from "./TestGapReviewer.ts"

export class RepositoryReviewer extends Context.Service<
  RepositoryReviewer,
  { readonly review: (change: Change) => Effect.Effect<RepositoryReview> }
>()("dd/services/finding/RepositoryReviewer") {
  static readonly layer = Layer.effect(
    RepositoryReviewer,
    Effect.gen(function* () {
      const reviewers = yield* Effect.all([
        ContractReviewer,
        ImportReviewer,
        CycleReviewer,
        CaseReviewer,
        OverrideReviewer,
        CloneReviewer,
        DriftReviewer,
        TestGapReviewer
      ])

      const review = Effect.fn("RepositoryReviewer.review")(function* (change: Change) {
        // While one waits for git, another goes on.
        const parts = yield* Effect.forEach(reviewers, (reviewer) => reviewer.review(change), {
          concurrency: reviewers.length
        })
        return {
          records: parts.flatMap(({ records }) => records),
          rulesApplied: parts.flatMap(({ rulesApplied }) => rulesApplied),
          omitted: parts.flatMap(({ omitted }) => omitted)
        }
      })

      return RepositoryReviewer.of({ review })
    })
  ).pipe(
    Layer.provide([
      ContractReviewer.layer,
      ImportReviewer.layer,
      CycleReviewer.layer,
      CaseReviewer.layer,
      OverrideReviewer.layer,
      CloneReviewer.layer,
      DriftReviewer.layer,
      TestGapReviewer.layer
    ])
  )
}
