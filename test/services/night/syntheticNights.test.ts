/** Nights with the real gate over 500 reviews with known truth: what they are worth on reviews that nothing was learned from. */
import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { hides } from "../../../src/domain/finding/LearnedSuppression.ts"
import { splitByTime } from "../../../src/domain/night/split.ts"
import { it } from "../../support/effect.ts"
import { memoryNights } from "../../support/night/memoryNight.ts"
import { syntheticArchive, syntheticRules } from "../../support/night/syntheticArchive.ts"

const nights = Effect.fnUntraced(function* (poisoned: boolean) {
  const archive = syntheticArchive({ seed: 1, reviews: 500, poisoned })
  const { generation, outcomes } = yield* memoryNights({ ...archive, warnOnly: false, nights: 20 })
  const labels = splitByTime(archive.reviews).sealed.flatMap(({ findings }) => findings)
  const hidden = labels.filter((each) => generation.suppressions.some((item) => hides(item, each, archive.now)))
  const rejected = (some: typeof labels) => some.filter(({ judgement }) => judgement === "rejected").length
  const accepted = hidden.filter(({ judgement }) => judgement === "accepted").length
  return {
    ...{ generation, outcomes },
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

  it.effect("refuse suppressions that poisoned labels propose, also for parts of a folder", () =>
    Effect.gen(function* () {
      const { generation, outcomes, precision } = yield* nights(true)
      const poisoned = syntheticRules.filter(({ canBePoisoned }) => canBePoisoned).map(({ id }) => id)
      const proposed = outcomes.flatMap(({ proposals }) => proposals.flatMap(({ put }) => put.suppressions ?? []))
      expect(proposed.map(({ rule }) => rule)).toEqual(expect.arrayContaining(poisoned))
      expect(generation.suppressions.filter(({ rule }) => poisoned.includes(rule))).toEqual([])
      expect(precision).toBeGreaterThan(0.85)
      expect(outcomes.at(-1)?.proposals).toEqual([])
    })
  )
})
