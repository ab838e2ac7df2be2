/** Holds how files, types and cases fit together after a change against how they did before it: one question after another. */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import { CaseReviewer } from "./CaseReviewer.ts"
import type { ContractReview } from "./ContractReviewer.ts"
import { CycleReviewer } from "./CycleReviewer.ts"
import { ImportReviewer } from "./ImportReviewer.ts"
import { OverrideReviewer } from "./OverrideReviewer.ts"

export class StructureReviewer extends Context.Service<
  StructureReviewer,
  { readonly review: (change: Change) => Effect.Effect<ContractReview> }
>()("dd/services/finding/StructureReviewer") {
  static readonly layer = Layer.effect(
    StructureReviewer,
    Effect.gen(function* () {
      const reviewers = [yield* ImportReviewer, yield* CycleReviewer, yield* CaseReviewer, yield* OverrideReviewer]

      const review = Effect.fn("StructureReviewer.review")(function* (change: Change) {
        const parts = yield* Effect.forEach(reviewers, (reviewer) => reviewer.review(change), {
          concurrency: reviewers.length
        })
        const records = parts.flatMap((part) => part.records)
        return {
          records: records.map((record, at) => ReviewRecord.make({ ...record, id: at + 1 })),
          rulesApplied: parts.flatMap(({ rulesApplied }) => rulesApplied),
          omitted: parts.flatMap(({ omitted }) => omitted)
        }
      })

      return StructureReviewer.of({ review })
    })
  )
}
