/**
 * What people say of the findings of the build set. A finding that several reviews repeat is one opinion: the newest judgement
 * counts, and the label that gave it first is the evidence, so that a further repeat changes no evidence.
 */
import type { Severity } from "../../finding/Finding.ts"
import type { LabelRef } from "../../finding/LearnedSuppression.ts"
import { compareText } from "../../text/compareText.ts"
import type { Judgement, LabelledFinding, LabelledReview } from "../LabelledReview.ts"
import { eventTime } from "../split.ts"

export interface Opinion<Value extends string = Judgement> {
  readonly ref: LabelRef
  readonly value: Value
  /** Of the newest repeat with this value, in milliseconds since 1970. */
  readonly at: number
  readonly rule: string
  readonly by: string
  readonly title: string
  readonly file: string
  readonly severity: Severity
  /** The command that checked the fixes of its review. */
  readonly check: string | null
}

/** Oldest first. */
export const judgementsOf = (reviews: ReadonlyArray<LabelledReview>): ReadonlyArray<Opinion> =>
  opinionsOf(reviews, ({ judgement }) => judgement)

export const fixesOf = (reviews: ReadonlyArray<LabelledReview>): ReadonlyArray<Opinion<"passed" | "failed">> =>
  opinionsOf(reviews, ({ fixed }) => fixed)

const opinionsOf = <Value extends string>(
  reviews: ReadonlyArray<LabelledReview>,
  read: (finding: LabelledFinding) => Value | null
): ReadonlyArray<Opinion<Value>> => {
  const single = reviews.flatMap((review) =>
    review.findings.flatMap((finding) => {
      const value = read(finding)
      return value === null ? [] : [{ fingerprint: finding.fingerprint, opinion: opinionOf(review, finding, value) }]
    })
  )
  single.sort((a, b) => byAge(a.opinion, b.opinion))
  const byFinding = Map.groupBy(single, ({ fingerprint, opinion: { ref } }) =>
    fingerprint === "" ? JSON.stringify(ref) : fingerprint
  )
  return [...byFinding.values()].map((repeats) => {
    const newest = repeats[repeats.length - 1]!.opinion
    const first = repeats.find(({ opinion }) => opinion.value === newest.value)!.opinion
    return { ...newest, ref: first.ref }
  })
}

const opinionOf = <Value extends string>(
  review: LabelledReview,
  finding: LabelledFinding,
  value: Value
): Opinion<Value> => ({
  ref: { session: review.session, finding: finding.finding },
  value,
  at: eventTime(review, finding),
  rule: finding.rule,
  by: finding.by,
  title: finding.title,
  file: finding.file,
  severity: finding.severity,
  check: review.check
})

const byAge = (a: Opinion<string>, b: Opinion<string>): number => a.at - b.at || compareRefs(a.ref, b.ref)

export const compareRefs = (a: LabelRef, b: LabelRef): number =>
  compareText(a.session, b.session) || a.finding - b.finding

export const refKey = ({ finding, session }: LabelRef): string => `${session}#${finding}`

export const refsOf = (opinions: ReadonlyArray<Opinion<string>>): ReadonlyArray<LabelRef> =>
  opinions.map(({ ref }) => ref).sort(compareRefs)
