/**
 * What nights learn from synthetic archives with known truth. Run `bun scripts/bench/night.ts [ARCHIVES [REVIEWS]]`; default: 10
 * archives of 500 reviews.
 *
 * 1. Learns without a gate, and with the gate of a night, until a night proposes nothing. Then measures on the sealed sets, which are
 *    newer than all that was learned from or decided by: the share of the rejected findings that is hidden, the share of the hidden
 *    ones that people rejected, and the squared error of the predicted acceptance. Labels have 5 % mistakes, and some rejected
 *    findings are of rules that are never suppressed, so neither share can be 1. In a poisoned archive, the labels that are learned
 *    from reject what people accept later, for two of twelve rules.
 *    Of the conventions that reviewers of the sealed set would be told: the share whose rule people accept in a file that it is told
 *    for. Of those that the nights refused, how many reviewers would be told.
 * 2. How long one night without a gate takes for 1,000 to 10,000 reviews.
 */
import { Effect } from "effect"
import { hides } from "../../src/domain/finding/LearnedSuppression.ts"
import type { Generation } from "../../src/domain/night/Generation.ts"
import type { LabelledFinding } from "../../src/domain/night/LabelledReview.ts"
import { splitByTime } from "../../src/domain/night/split.ts"
import { mean, squaredError, wilson } from "../../src/domain/night/statistics.ts"
import { learning } from "../../test/support/night/learning.ts"
import { memoryNights } from "../../test/support/night/memoryNight.ts"
import { type SyntheticArchive, syntheticArchive } from "../../test/support/night/syntheticArchive.ts"
import { factsOf, refusedIn } from "../../test/support/night/toldOf.ts"

const archives = Number(process.argv[2] ?? 10)
const count = Number(process.argv[3] ?? 500)

const share = (part: number, all: number): string => {
  const { hi, lo } = wilson(part, all)
  return all === 0 ? "none" : `${(part / all).toFixed(3)} [${lo.toFixed(3)}, ${hi.toFixed(3)}] (${part} of ${all})`
}

interface Night {
  readonly generation: Generation
  readonly nights: number
  /** Ids of conventions and playbooks that were refused. */
  readonly refused: ReadonlySet<string>
}

const gated =
  (warnOnly: boolean) =>
  async ({ now, reviews }: SyntheticArchive): Promise<Night> => {
    const { generation, outcomes } = await Effect.runPromise(memoryNights({ reviews, now, warnOnly, nights: 30 }))
    return { generation, nights: outcomes.length, refused: refusedIn(outcomes) }
  }

const ways = {
  "without a gate": async ({ now, reviews }: SyntheticArchive) => ({
    generation: learning(reviews, now).generation,
    nights: 1,
    refused: new Set<string>()
  }),
  "with the gate, warn-only": gated(true),
  "with the gate, strict": gated(false)
}

const isRejected = ({ judgement }: LabelledFinding): boolean => judgement === "rejected"

for (const poisoned of [false, true]) {
  const made = Array.from({ length: archives }, (_, index) =>
    syntheticArchive({ seed: index + 1, reviews: count, poisoned })
  )
  console.log(`${archives} ${poisoned ? "poisoned archives" : "archives"} of ${count} reviews`)
  for (const [name, learn] of Object.entries(ways)) {
    const all: Array<LabelledFinding> = []
    const hidden: Array<LabelledFinding> = []
    const errors: Array<number> = []
    const constant: Array<number> = []
    let [nights, suppressions] = [0, 0]
    let [told, right, refused, refusedTold] = [0, 0, 0, 0]
    for (const archive of made) {
      const night = await learn(archive)
      const { generation } = night
      nights += night.nights
      suppressions += generation.suppressions.length
      const { sealed } = splitByTime(archive.reviews)
      const labels = sealed.flatMap(({ findings }) => findings).filter(({ judgement }) => judgement !== null)
      const rules = new Map(generation.conventions.map(({ id, rule }) => [id, rule]))
      const given = sealed.flatMap((review) =>
        factsOf(generation, review).flatMap(({ artifact, files }) => [{ artifact, files, at: review.at }])
      )
      for (const { artifact, at, files } of given) {
        const rule = rules.get(artifact)
        if (rule === undefined) continue
        told++
        if (files.some((file) => archive.truth(rule, file, at) === "accepted")) right++
      }
      const ids = new Set(given.map(({ artifact }) => artifact))
      refused += night.refused.size
      refusedTold += [...night.refused].filter((id) => ids.has(id)).length
      const table = new Map(generation.calibration.map(({ by, probability, rule }) => [`${rule} ${by}`, probability]))
      const base = 1 - labels.filter(isRejected).length / labels.length
      for (const label of labels) {
        const accepted = !isRejected(label)
        errors.push(squaredError({ accepted, probability: table.get(`${label.rule} ${label.by}`) ?? base }))
        constant.push(squaredError({ accepted, probability: base }))
      }
      all.push(...labels)
      hidden.push(...labels.filter((each) => generation.suppressions.some((item) => hides(item, each, archive.now))))
    }
    const caught = hidden.filter(isRejected).length
    const high = hidden.filter((each) => !isRejected(each) && each.severity === "high").length
    console.log(`  ${name}: ${nights} nights, ${suppressions} suppressions; ${all.length} sealed labels`)
    console.log(`    rejected findings that are hidden (recall)    ${share(caught, all.filter(isRejected).length)}`)
    console.log(`    hidden findings that are rejected (precision) ${share(caught, hidden.length)}`)
    console.log(`    accepted high findings that are hidden        ${high}`)
    console.log(`    conventions told whose rule people accept there   ${share(right, told)}`)
    console.log(`    refused conventions and playbooks told            ${refusedTold} of ${refused}`)
    console.log(
      `    squared error ${mean(errors).toFixed(4)}, of the share of the sealed set ${mean(constant).toFixed(4)}`
    )
  }
}

for (const many of [1_000, 2_000, 5_000, 10_000]) {
  const { now, reviews } = syntheticArchive({ seed: 1, reviews: many })
  const started = performance.now()
  learning(reviews, now)
  console.log(`${many} reviews: ${Math.round(performance.now() - started)} ms`)
}
