/** What reviewers of a review with labels are told of what nights learned: the facts, as a prompt has them. */
import { learnedFacts, learnedRepairs } from "../../../src/domain/brief/learnedFacts.ts"
import type { Generation } from "../../../src/domain/night/Generation.ts"
import type { LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { learnedFor } from "../../../src/domain/night/learnedFor.ts"
import { learnedFactLines } from "../../../src/services/agent/changeFacts.ts"
import type { LoopOutcome } from "../../../src/services/night/nightLoop.ts"

/** Every rule reads every file. */
export const factsOf = (generation: Generation, { changedFiles, findings }: LabelledReview) => {
  const artifacts = learnedFor(generation, changedFiles, () => true)
  const files = changedFiles.map((path) => ({ path, before: [], after: [] }))
  return [...learnedFacts(artifacts, files), ...learnedRepairs(artifacts, findings)]
}

export const toldOf = (generation: Generation, review: LabelledReview): ReadonlyArray<string> =>
  learnedFactLines(factsOf(generation, review), new Set(review.changedFiles))

/** The ids of conventions and playbooks that the nights refused. */
export const refusedIn = (outcomes: ReadonlyArray<LoopOutcome>): ReadonlySet<string> =>
  new Set(
    outcomes.flatMap(({ proposals, refused }) => {
      const known = new Set(refused.map(({ basis, id }) => `${id} ${basis}`))
      return proposals
        .filter(({ basis, id }) => known.has(`${id} ${basis}`))
        .flatMap(({ put }) => [...(put.conventions ?? []), ...(put.playbooks ?? [])].map(({ id }) => id))
    })
  )
