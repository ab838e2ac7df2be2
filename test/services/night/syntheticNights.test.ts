/** Nights with the real gate over 500 reviews with known truth: what they are worth on reviews that nothing was learned from. */
import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { hides } from "../../../src/domain/finding/LearnedSuppression.ts"
import { emptyGeneration, type Generation } from "../../../src/domain/night/Generation.ts"
import { proposalsOf } from "../../../src/domain/night/proposals.ts"
import { newestTime, splitByTime } from "../../../src/domain/night/split.ts"
import { it } from "../../support/effect.ts"
import { digest, isProtected, learning } from "../../support/night/learning.ts"
import { memoryNights } from "../../support/night/memoryNight.ts"
import { syntheticArchive, syntheticRules } from "../../support/night/syntheticArchive.ts"
import { refusedIn, toldOf } from "../../support/night/toldOf.ts"

const nights = Effect.fnUntraced(function* (poisoned: boolean) {
  const archive = syntheticArchive({ seed: 1, reviews: 500, poisoned })
  const { generation, outcomes } = yield* memoryNights({ ...archive, warnOnly: false, nights: 20 })
  const labels = splitByTime(archive.reviews).sealed.flatMap(({ findings }) => findings)
  const hidden = labels.filter((each) => generation.suppressions.some((item) => hides(item, each, archive.now)))
  const rejected = (some: typeof labels) => some.filter(({ judgement }) => judgement === "rejected").length
  const accepted = hidden.filter(({ judgement }) => judgement === "accepted").length
  return {
    ...{ archive, generation, outcomes },
    precision: rejected(hidden) / (rejected(hidden) + accepted),
    recall: rejected(hidden) / rejected(labels)
  }
})

describe("nights over an archive with known truth", () => {
  it.effect("hide in the sealed set what people reject there, and hardly anything else", () =>
    Effect.gen(function* () {
      const { outcomes, precision, recall } = yield* nights(false)
      expect(outcomes.at(-1)?.proposals).toEqual([])
      expect(precision).toBeGreaterThan(0.85)
      expect(recall).toBeGreaterThan(0.4)
    })
  )

  it.effect("make no suppressions that poisoned labels support, also for parts of a folder", () =>
    Effect.gen(function* () {
      const { archive, generation, outcomes, precision } = yield* nights(true)
      const poisoned = syntheticRules.filter(({ canBePoisoned }) => canBePoisoned).map(({ id }) => id)
      const split = splitByTime(archive.reviews)
      const lesson = {
        ...split,
        later: [],
        newest: newestTime(split),
        now: archive.now,
        digest,
        isProtected,
        mustShow: []
      }
      const withoutGate = proposalsOf(lesson, emptyGeneration("p"), []).flatMap(({ put }) => put.suppressions ?? [])
      expect(withoutGate.map(({ rule }) => rule)).toEqual(expect.arrayContaining(poisoned))
      expect(generation.suppressions.filter(({ rule }) => poisoned.includes(rule))).toEqual([])
      expect(precision).toBeGreaterThan(0.85)
      expect(outcomes.at(-1)?.proposals).toEqual([])
    })
  )

  it.effect("tell reviewers of what they committed, and of no convention that the gate refused", () =>
    Effect.gen(function* () {
      const { archive, generation, outcomes } = yield* nights(true)
      const refused = refusedIn(outcomes)
      expect(refused.size).toBeGreaterThan(0)
      const idsTold = (to: Generation) =>
        new Set(
          archive.reviews.flatMap(
            (review) =>
              toldOf(to, review)
                .join()
                .match(/(?:con|pbk)-[0-9a-f]{16}/g) ?? []
          )
        )
      const committed = new Set([...generation.conventions, ...generation.playbooks].map(({ id }) => id))
      const told = idsTold(generation)
      expect(told.size).toBeGreaterThan(0)
      expect([...told].filter((id) => refused.has(id) || !committed.has(id))).toEqual([])
      // Without the gate, reviewers would be told of them.
      const ungated = idsTold(learning(archive.reviews, archive.now).generation)
      expect([...refused].filter((id) => ungated.has(id)).length).toBeGreaterThan(0)
    })
  )
})
