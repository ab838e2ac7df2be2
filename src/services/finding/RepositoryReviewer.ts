/** Runs the checks that need the whole repository. */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { RepositoryReview } from "../../domain/finding/RepositoryReview.ts"
import { caseCheck } from "./caseCheck.ts"
import { cloneCheck } from "./cloneCheck.ts"
import { contractCheck } from "./contractCheck.ts"
import { conventionCheck } from "./conventionCheck.ts"
import { cycleCheck } from "./cycleCheck.ts"
import { driftCheck } from "./driftCheck.ts"
import { fixUndoneCheck } from "./fixUndoneCheck.ts"
import { importCheck } from "./importCheck.ts"
import { lastReadCheck } from "./lastReadCheck.ts"
import { lossCheck } from "./lossCheck.ts"
import { overrideCheck } from "./overrideCheck.ts"
import { reportable } from "./reportable.ts"
import { scriptCheck } from "./scriptCheck.ts"
import { testGapCheck } from "./testGapCheck.ts"

export class RepositoryReviewer extends Context.Service<
  RepositoryReviewer,
  { readonly review: (change: Change) => Effect.Effect<RepositoryReview> }
>()("dd/services/finding/RepositoryReviewer") {
  static readonly layer = Layer.effect(
    RepositoryReviewer,
    Effect.gen(function* () {
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof checksOf>>>()

      const review = Effect.fn("RepositoryReviewer.review")(function* (change: Change) {
        const parts = yield* Effect.provideContext(checksOf(change), services)
        const records = parts.flatMap((part) => part.records)
        return {
          records: yield* Effect.provideContext(reportable(records), services),
          rulesApplied: parts.flatMap(({ rulesApplied }) => rulesApplied),
          omitted: parts.flatMap(({ omitted }) => omitted)
        }
      })

      return RepositoryReviewer.of({ review })
    })
  )
}

/** While one check waits for git, another runs. */
const checksOf = (change: Change) =>
  Effect.all(
    [
      contractCheck(change),
      importCheck(change),
      cycleCheck(change),
      caseCheck(change),
      overrideCheck(change),
      cloneCheck(change),
      driftCheck(change),
      testGapCheck(change),
      lossCheck(change),
      lastReadCheck(change),
      scriptCheck(change),
      fixUndoneCheck(change),
      conventionCheck(change)
    ],
    { concurrency: "unbounded" }
  )
