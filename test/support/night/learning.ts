/** The nights of a test: what a corpus is after all batches of proposals, without a gate. */

import { emptyGeneration, type Generation } from "../../../src/domain/night/Generation.ts"
import type { LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { mustShow } from "../../../src/domain/night/mustShow.ts"
import type { Proposal, RefusedProposal } from "../../../src/domain/night/Proposal.ts"
import { proposalsOf } from "../../../src/domain/night/proposals.ts"
import { isProtectedRule } from "../../../src/domain/night/protectedRule.ts"
import { batchesOf, reducerOn } from "../../../src/domain/night/reduce.ts"
import { newestTime, splitByTime } from "../../../src/domain/night/split.ts"

export const digest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")

/** Without the pages of rules, only areas tell what is protected. */
export const isProtected = (rule: string): boolean => isProtectedRule(rule, "")

export interface Learning {
  readonly generation: Generation
  readonly refused: ReadonlyArray<RefusedProposal>
  readonly proposals: ReadonlyArray<Proposal>
}

export const nothing: Learning = { generation: emptyGeneration("synthetic"), refused: [], proposals: [] }

/** A night after `before`. */
export const learning = (reviews: ReadonlyArray<LabelledReview>, now: number, before: Learning = nothing): Learning => {
  const split = splitByTime(reviews, before.generation)
  const lesson = {
    build: split.build,
    later: [...split.gate, ...split.sealed],
    newest: newestTime(split),
    now,
    digest,
    isProtected,
    mustShow: mustShow(reviews)
  }
  const proposals = proposalsOf(lesson, before.generation, before.refused)
  const reduce = reducerOn(split.build)
  const refused = [...before.refused]
  let { generation } = before
  batchesOf(proposals).forEach((batch, index) => {
    const { draft, dropped } = reduce(generation, batch, { run: "test", iteration: index + 1, now })
    refused.push(...dropped.map(({ basis, id }) => ({ basis, id })))
    generation = draft
  })
  return { generation, refused, proposals }
}
