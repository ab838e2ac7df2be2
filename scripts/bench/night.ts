/**
 * What a night learns from a synthetic archive with known truth. Run `bun scripts/bench/night.ts [SEED [REVIEWS]]`.
 *
 * 1. Learns from the build set, then measures on the gate and the sealed set, which are newer: of the rejected findings the share
 *    that would be hidden, of the hidden ones the share that people rejected, and the squared error of the predicted acceptance.
 *    Intervals are of 95 %. Labels of all sets have 5 % mistakes, so neither share can be 1. Without a gate: a poisoned archive
 *    shows what the gate has to refuse.
 * 2. How long the learning takes for 1,000 to 10,000 reviews.
 */
import { hides } from "../../src/domain/finding/LearnedSuppression.ts"
import type { Generation } from "../../src/domain/night/Generation.ts"
import type { LabelledReview } from "../../src/domain/night/LabelledReview.ts"
import { splitByTime } from "../../src/domain/night/split.ts"
import { mean, squaredError, wilson } from "../../src/domain/night/statistics.ts"
import { learning } from "../../test/support/night/learning.ts"
import { syntheticArchive } from "../../test/support/night/syntheticArchive.ts"

const seed = Number(process.argv[2] ?? 1)
const count = Number(process.argv[3] ?? 500)

const share = (part: number, all: number): string => {
  const { hi, lo } = wilson(part, all)
  return all === 0 ? "none" : `${(part / all).toFixed(3)} [${lo.toFixed(3)}, ${hi.toFixed(3)}] (${part} of ${all})`
}

const measure = (
  name: string,
  set: ReadonlyArray<LabelledReview>,
  { calibration, suppressions }: Generation,
  now: number
) => {
  const labels = set.flatMap(({ findings }) => findings).filter(({ judgement }) => judgement !== null)
  const hidden = labels.filter((each) => suppressions.some((suppression) => hides(suppression, each, now)))
  const rejected = labels.filter(({ judgement }) => judgement === "rejected")
  const caught = hidden.filter(({ judgement }) => judgement === "rejected")
  const high = hidden.filter(({ judgement, severity }) => judgement === "accepted" && severity === "high")
  const base = (labels.length - rejected.length) / labels.length
  const table = new Map(calibration.map(({ by, probability, rule }) => [`${rule} ${by}`, probability]))
  const error = (predicted: (key: string) => number): string =>
    mean(
      labels.map(({ by, judgement, rule }) =>
        squaredError({ probability: predicted(`${rule} ${by}`), accepted: judgement === "accepted" })
      )
    ).toFixed(4)
  console.log(`  ${name}: ${set.length} reviews, ${labels.length} labels`)
  console.log(`    rejected findings that are hidden (recall)    ${share(caught.length, rejected.length)}`)
  console.log(`    hidden findings that are rejected (precision) ${share(caught.length, hidden.length)}`)
  console.log(`    accepted high findings that are hidden        ${high.length}`)
  console.log(
    `    squared error with calibration ${error((key) => table.get(key) ?? base)}, with the share of this set ${error(() => base)}`
  )
}

for (const poisoned of [false, true]) {
  const { now, reviews } = syntheticArchive({ seed, reviews: count, poisoned })
  const { build, gate, sealed } = splitByTime(reviews)
  const { generation, proposals, refused } = learning(reviews, now)
  const { conventions, playbooks, suppressions } = generation
  console.log(`${count} reviews, seed ${seed}${poisoned ? ", poisoned" : ""}: ${build.length} to learn from`)
  console.log(
    `  ${proposals.length} proposals, ${refused.length} dropped; ${suppressions.length} suppressions, ` +
      `${conventions.length} conventions, ${playbooks.length} playbooks`
  )
  for (const { accepted, folder, rejected, rule } of suppressions) {
    console.log(
      `    hides ${rule} in ${folder === "" ? "all folders" : folder} (${rejected} rejected, ${accepted} accepted)`
    )
  }
  measure("gate", gate, generation, now)
  measure("sealed", sealed, generation, now)
}

for (const many of [1_000, 2_000, 5_000, 10_000]) {
  const { now, reviews } = syntheticArchive({ seed, reviews: many })
  const started = performance.now()
  learning(reviews, now)
  console.log(`${many} reviews: ${Math.round(performance.now() - started)} ms`)
}
