/** What dd learned from the labels of a repository, for a review of it. None with `--no-learned`, and before the first night. */
import { Context, Effect } from "effect"
import type { RuleCalibration } from "../../domain/finding/Calibration.ts"
import type { LearnedSuppression } from "../../domain/finding/LearnedSuppression.ts"

export interface LearnedFromLabels {
  readonly suppressions: ReadonlyArray<LearnedSuppression>
  readonly calibration: ReadonlyArray<RuleCalibration>
}

export const nothingLearned: LearnedFromLabels = { suppressions: [], calibration: [] }

export const Learned = Context.Reference<Effect.Effect<LearnedFromLabels>>("dd/services/finding/Learned", {
  defaultValue: () => Effect.succeed(nothingLearned)
})
