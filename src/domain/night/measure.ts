/**
 * Measures a generation against reviews that it was not made from, without a model and without the network. The same arguments give
 * the same measurement. Only labels of people count: weak and contested ones are left out.
 *
 * What the metrics measure here, each with its items:
 * - `suppression_precision`: of the judged findings that active suppressions hide, the share that people rejected; its value is the
 *   lower bound of the interval. An item is a judged finding: 0 if it is hidden and was accepted, else 1.
 * - `suppression_recall`: of the rejected findings, the share that is hidden. A lower confidence hides nothing and does not count.
 * - `retrieval_recall`: of the accepted findings, the share whose rule has a convention among those found from the changed files. All
 *   accepted findings count, so that a generation does not gain by forgetting a convention.
 * - `retrieval_precision`: of the conventions found, the share whose rule has an accepted finding in that review: the mean over
 *   reviews with an accepted finding. In the others, a convention that was followed cannot be told from one that does not matter.
 * - `ranking_ap`: the average precision of the judged findings by their predicted acceptance. An item is an accepted finding. The
 *   interval takes the items for independent.
 * - `calibration`: the Brier skill: 1 minus the Brier score of the predictions divided by that of the base rate of these reviews;
 *   not below 0. The base rate is that of the findings and of one more of either kind, so that findings of one kind measure it, too. An
 *   item is a judged finding: 1 minus its squared error.
 * - `playbook_success`: of the fixes of rules that have a playbook, the share that passed its check.
 * - `evidence_integrity`: of the suppressions, conventions and playbooks, the share with evidence that all resolves and a folder that
 *   exists.
 * - `non_redundancy`: of the same, the share that no other one of the same kind and rule covers with a folder above.
 */
import { Record } from "effect"
import type { RuleCalibration } from "../finding/Calibration.ts"
import { hides, type LabelRef, type LearnedSuppression } from "../finding/LearnedSuppression.ts"
import { foldersAbove } from "../text/foldersAbove.ts"
import { conventionIndex, conventionsRead } from "./conventionsFor.ts"
import type { Measurement, Metric } from "./Fitness.ts"
import type { Generation } from "./Generation.ts"
import type { LabelledFinding, LabelledReview } from "./LabelledReview.ts"
import { type MustShow, vetoesOf } from "./mustShow.ts"
import { type Interval, mean, meanInterval, type Prediction, precisions, squaredError, wilson } from "./statistics.ts"

export interface MeasureContext {
  /** In milliseconds since 1970: which suppressions have expired. */
  readonly now: number
  /** Has the archive this label? */
  readonly resolves: (ref: LabelRef) => boolean
  /** Has the repository this folder? It is asked about none but those of derived items, and not about "". */
  readonly hasFolder: (folder: string) => boolean
  /** Of all reviews, not only of those that are measured. */
  readonly mustShow: ReadonlyArray<MustShow>
}

/** Of fewer items, a metric is insufficient. */
const leastItems = 20

export const measure = (
  generation: Generation,
  reviews: ReadonlyArray<LabelledReview>,
  context: MeasureContext
): Measurement => {
  const judged = judgedFindings(reviews)
  const hidden = hiddenFindings(judged, generation.suppressions, context.now)
  const suppression = suppressionMetrics(judged, hidden)
  const retrieval = retrievalMetrics(generation, reviews)
  const prediction = predictionMetrics(judged, generation.calibration)
  const playbook = shareOf(playbookScores(generation, reviews))
  const integrity = shareOf(integrityScores(generation, context))
  const redundancy = shareOf(redundancyScores(generation))
  const parts = {
    suppression_precision: suppression.precision,
    suppression_recall: suppression.recall,
    retrieval_recall: retrieval.recall,
    retrieval_precision: retrieval.precision,
    ranking_ap: prediction.ranking,
    calibration: prediction.calibration,
    playbook_success: playbook,
    evidence_integrity: integrity,
    non_redundancy: redundancy
  }
  return {
    metrics: Record.map(parts, ({ metric }) => metric),
    items: Record.map(parts, ({ items }) => items),
    vetoes: vetoesOf(generation.suppressions, context.mustShow, context.now)
  }
}

type Scores = ReadonlyMap<string, number>

interface Part {
  readonly metric: Metric
  readonly items: Scores
}

const dormant: Metric = { value: null, n: 0, lo: 0, hi: 1, state: "dormant" }

const metricOf = (value: number, n: number, { hi, lo }: Interval): Metric =>
  n < leastItems ? { value: null, n, lo, hi, state: "insufficient" } : { value, n, lo, hi, state: "ok" }

/** A metric that is the mean of its items. */
const shareOf = (items: Scores): Part => {
  if (items.size === 0) return { metric: dormant, items }
  let sum = 0
  for (const score of items.values()) sum += score
  return { metric: metricOf(sum / items.size, items.size, wilson(sum, items.size)), items }
}

interface JudgedFinding {
  /** The name of its item. */
  readonly key: string
  readonly session: string
  readonly finding: LabelledFinding
  readonly accepted: boolean
}

const keyOf = (session: string, finding: number): string => `${session}#${finding}`

const judgedFindings = (reviews: ReadonlyArray<LabelledReview>): ReadonlyArray<JudgedFinding> =>
  reviews.flatMap(({ findings, session }) =>
    findings.flatMap((finding) =>
      finding.judgement === "accepted" || finding.judgement === "rejected"
        ? [{ key: keyOf(session, finding.finding), session, finding, accepted: finding.judgement === "accepted" }]
        : []
    )
  )

/** What hides each hidden one; null if no suppression is active. */
const hiddenFindings = (
  judged: ReadonlyArray<JudgedFinding>,
  suppressions: ReadonlyArray<LearnedSuppression>,
  now: number
): ReadonlyMap<JudgedFinding, LearnedSuppression> | null => {
  const active = suppressions.filter(({ expires }) => now < expires)
  if (active.length === 0) return null
  const byRule = Map.groupBy(active, ({ rule }) => rule)
  const hidden = new Map<JudgedFinding, LearnedSuppression>()
  for (const each of judged) {
    const by = byRule.get(each.finding.rule)?.find((suppression) => hides(suppression, each.finding, now))
    if (by !== undefined) hidden.set(each, by)
  }
  return hidden
}

const suppressionMetrics = (
  judged: ReadonlyArray<JudgedFinding>,
  hidden: ReadonlyMap<JudgedFinding, LearnedSuppression> | null
): { readonly precision: Part; readonly recall: Part } => {
  const isHidden = (each: JudgedFinding) => hidden?.has(each) === true
  const rejected = judged.filter(({ accepted }) => !accepted)
  const recall = new Map(rejected.map((each) => [each.key, isHidden(each) ? 1 : 0]))
  const right = rejected.filter(isHidden).length
  const interval = wilson(right, hidden?.size ?? 0)
  return {
    precision: {
      metric: hidden === null ? dormant : metricOf(interval.lo, hidden.size, interval),
      items: new Map(judged.map((each) => [each.key, isHidden(each) && each.accepted ? 0 : 1]))
    },
    recall: shareOf(recall)
  }
}

const retrievalMetrics = (
  { conventions }: Generation,
  reviews: ReadonlyArray<LabelledReview>
): { readonly recall: Part; readonly precision: Part } => {
  const find = conventionIndex(conventions)
  const recall = new Map<string, number>()
  const precision = new Map<string, number>()
  for (const { changedFiles, findings, session } of reviews) {
    const accepted = findings.filter(({ judgement }) => judgement === "accepted")
    if (accepted.length === 0) continue
    const found = find(changedFiles, conventionsRead).map(({ rule }) => rule)
    for (const { finding, rule } of accepted) recall.set(keyOf(session, finding), found.includes(rule) ? 1 : 0)
    const rules = new Set(accepted.map(({ rule }) => rule))
    if (found.length > 0) precision.set(session, found.filter((rule) => rules.has(rule)).length / found.length)
  }
  return { recall: shareOf(recall), precision: shareOf(precision) }
}

const predictionMetrics = (
  judged: ReadonlyArray<JudgedFinding>,
  calibration: ReadonlyArray<RuleCalibration>
): { readonly ranking: Part; readonly calibration: Part } => {
  const accepted = judged.filter((each) => each.accepted)
  const base = (accepted.length + 1) / (judged.length + 2)
  const predict = predictor(calibration, base)
  const predictions = judged.map(({ accepted, finding }): Prediction => ({ accepted, probability: predict(finding) }))
  const nothing: Part = { metric: dormant, items: new Map() }
  if (judged.length === 0) return { ranking: nothing, calibration: nothing }
  const reached = precisions(predictions)
  const errors = predictions.map(squaredError)
  const error = meanInterval(errors)
  const spread = mean(predictions.map(({ accepted }) => squaredError({ accepted, probability: base })))
  const skill = (brier: number) => Math.min(1, Math.max(0, 1 - brier / spread))
  return {
    // Without findings of both kinds there is nothing to rank.
    ranking:
      accepted.length === judged.length
        ? nothing
        : shareOf(new Map(accepted.map(({ key }, at) => [key, reached[at] ?? 0]))),
    calibration: {
      metric: metricOf(skill(mean(errors)), judged.length, { lo: skill(error.hi), hi: skill(error.lo) }),
      items: new Map(judged.map(({ key }, at) => [key, 1 - (errors[at] ?? 0)]))
    }
  }
}

/** No review changes the confidence of a rule without calibration: it is predicted by the base rate, by every generation. */
const predictor = (
  calibration: ReadonlyArray<RuleCalibration>,
  base: number
): ((finding: Pick<LabelledFinding, "by" | "rule">) => number) => {
  const nameOf = ({ by, rule }: Pick<LabelledFinding, "by" | "rule">) => `${rule}\0${by}`
  const known = new Map(calibration.map((each) => [nameOf(each), each.probability]))
  return (finding) => known.get(nameOf(finding)) ?? base
}

const playbookScores = ({ playbooks }: Generation, reviews: ReadonlyArray<LabelledReview>): Scores => {
  const rules = new Set(playbooks.map(({ rule }) => rule))
  const scores = new Map<string, number>()
  for (const { findings, session } of reviews) {
    for (const { finding, fixed, rule } of findings) {
      if (fixed !== null && rules.has(rule)) scores.set(keyOf(session, finding), fixed === "passed" ? 1 : 0)
    }
  }
  return scores
}

/** What has evidence: everything but the calibration, which is counted anew. */
const derivedItems = ({ conventions, playbooks, suppressions }: Generation) => [
  ...suppressions.map(({ evidence, folder, id, rule }) => ({ kind: "suppression", id, rule, folder, evidence })),
  ...conventions.map(({ evidence, folder, id, rule }) => ({ kind: "convention", id, rule, folder, evidence })),
  ...playbooks.map(({ evidence, id, rule }) => ({ kind: "playbook", id, rule, folder: "", evidence }))
]

const integrityScores = (generation: Generation, { hasFolder, resolves }: MeasureContext): Scores =>
  new Map(
    derivedItems(generation).map(({ evidence, folder, id }) => {
      const isWhole = evidence.length > 0 && evidence.every(resolves) && (folder === "" || hasFolder(folder))
      return [id, isWhole ? 1 : 0]
    })
  )

const redundancyScores = (generation: Generation): Scores => {
  const items = derivedItems(generation)
  const scopeOf = (kind: string, rule: string, folder: string) => `${kind}\0${rule}\0${folder}`
  const scopes = new Set(items.map(({ folder, kind, rule }) => scopeOf(kind, rule, folder)))
  return new Map(
    items.map(({ folder, id, kind, rule }) => {
      const above = foldersAbove(folder).filter((each) => each !== folder)
      return [id, above.some((each) => scopes.has(scopeOf(kind, rule, each))) ? 0 : 1]
    })
  )
}
