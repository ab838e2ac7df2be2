/** What a night may have learned, for tests. */
import type { LearnedSuppression } from "../../src/domain/finding/LearnedSuppression.ts"
import { emptyGeneration, Generation } from "../../src/domain/night/Generation.ts"

export const suppression = (fields: Partial<LearnedSuppression> = {}): LearnedSuppression => ({
  id: "sup-0123456789abcdef",
  rule: "py/mutable-default",
  folder: "src/generated/",
  rejected: 7,
  accepted: 0,
  evidence: [],
  since: 0,
  expires: Date.UTC(2100, 0, 1),
  ...fields
})

/** The generation after `base`. */
export const generationAfter = (base: Generation, fields: Partial<Generation> = {}): Generation =>
  Generation.make({
    ...emptyGeneration(base.project),
    number: base.number + 1,
    base: base.number,
    at: 1_000 * (base.number + 1),
    run: `run-${base.number + 1}`,
    iteration: 1,
    ...fields
  })
