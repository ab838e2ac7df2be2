/**
 * The unlabelled findings whose label would teach most.
 *
 * With few labels, the most frequent rules first, and one of each before a second of any. Later, by the uncertainty of the rule's
 * calibration, times how often the rule reports, times severity; what is asked for counts as known for the next one. A finding
 * that several reviews repeat counts once, and is labelled if any of them is. One that cannot be seen any more counts, but is not asked for.
 */
import type { Severity } from "../finding/Finding.ts"
import { compareText } from "../text/compareText.ts"
import { judgementsOf } from "./evidence/opinions.ts"
import type { LabelledFinding, LabelledReview } from "./LabelledReview.ts"

export interface LabelRequest
  extends Pick<LabelledFinding, "by" | "file" | "finding" | "line" | "rule" | "severity" | "title"> {
  readonly session: string
  /** The findings of its rule, and how many of them people accepted or rejected. */
  readonly reported: number
  readonly judged: number
}

/** Labels from which a metric is measured: with fewer, nothing is known of what is uncertain. */
const enoughLabels = 20
/** The weight of the base rate in a calibration, in labels. */
const baseWeight = 4
const weights: Readonly<Record<Severity, number>> = { high: 3, medium: 2, low: 1 }

/** `isAskable`: of the newest repeat of a finding. */
export const labelRequests = (
  reviews: ReadonlyArray<LabelledReview>,
  most = 10,
  isAskable: (finding: LabelledFinding) => boolean = () => true
): ReadonlyArray<LabelRequest> => {
  const decided = judgementsOf(reviews).filter(({ value }) => value !== "contested")
  const rules = rulesOf(reviews, isAskable, Map.groupBy(decided, keyOf))
  const accepted = decided.filter(({ value }) => value === "accepted").length
  const base = (accepted + 1) / (decided.length + 2)
  return decided.length < enoughLabels ? inTurns(rules, most) : mostUncertain(rules, base, most)
}

interface Rule {
  readonly key: string
  readonly accepted: number
  readonly judged: number
  readonly reported: number
  /** Unlabelled, in the order in which they are asked for. */
  readonly open: ReadonlyArray<LabelRequest>
}

const keyOf = ({ by, rule }: Pick<LabelledFinding, "by" | "rule">): string => `${rule}\n${by}`

/** The calibration of a rule is one for each model that reports it. */
const rulesOf = (
  reviews: ReadonlyArray<LabelledReview>,
  isAskable: (finding: LabelledFinding) => boolean,
  decided: ReadonlyMap<string, ReadonlyArray<{ readonly value: string }>>
): ReadonlyArray<Rule> => {
  const newestFirst = reviews.toSorted((a, b) => b.at - a.at || compareText(a.session, b.session))
  const all = newestFirst.flatMap(({ findings, session }) => findings.map((finding) => ({ ...finding, session })))
  return [...Map.groupBy(all, keyOf)].map(([key, own]) => {
    const repeats = [...Map.groupBy(own, (each) => each.fingerprint || `${each.session} ${each.finding}`).values()]
    const labels = decided.get(key) ?? []
    const open = repeats.flatMap((same) =>
      same.some(({ judgement }) => judgement !== null) ? [] : same.slice(0, 1).filter(isAskable)
    )
    return {
      key,
      accepted: labels.filter(({ value }) => value === "accepted").length,
      judged: labels.length,
      reported: repeats.length,
      open: open
        .toSorted((a, b) => weights[b.severity] - weights[a.severity])
        .map(({ by, file, finding, line, rule, session, severity, title }) => ({
          ...{ session, finding, rule, by, title, file, line, severity },
          reported: repeats.length,
          judged: labels.length
        }))
    }
  })
}

const inTurns = (rules: ReadonlyArray<Rule>, most: number): ReadonlyArray<LabelRequest> => {
  const ordered = rules.toSorted((a, b) => b.reported - a.reported || compareText(a.key, b.key))
  const turns = Math.min(most, Math.max(0, ...ordered.map(({ open }) => open.length)))
  return Array.from({ length: turns }, (_, turn) => ordered.flatMap(({ open }) => open[turn] ?? []))
    .flat()
    .slice(0, most)
}

const mostUncertain = (rules: ReadonlyArray<Rule>, base: number, most: number): ReadonlyArray<LabelRequest> => {
  const asked = new Map<string, number>()
  const scoreOf = ({ accepted, judged, key, open, reported }: Rule): number => {
    const before = asked.get(key) ?? 0
    const next = open[before]
    if (next === undefined) return 0
    const probability = (accepted + baseWeight * base) / (judged + baseWeight)
    const uncertainty = Math.sqrt((probability * (1 - probability)) / (judged + before + baseWeight + 1))
    return uncertainty * reported * weights[next.severity]
  }
  const requests: Array<LabelRequest> = []
  while (requests.length < most) {
    const scored = rules.map((rule) => ({ rule, score: scoreOf(rule) }))
    const best = scored.reduce((a, b) =>
      b.score > a.score || (b.score === a.score && b.rule.key < a.rule.key) ? b : a
    )
    const before = asked.get(best.rule.key) ?? 0
    const next = best.rule.open[before]
    if (best.score === 0 || next === undefined) break
    requests.push(next)
    asked.set(best.rule.key, before + 1)
  }
  return requests
}
