/**
 * Splits reviews by their time into build, gate and sealed. The oldest 60 % of the reviews with a label are build, the next 25 %
 * gate, the newest 15 % sealed; reviews without labels are in the set of their time. The order of the input does not matter, and no
 * review is in two sets.
 *
 * A finding that several sets repeat, by its fingerprint, is evidence only in the earliest: later ones lose a judgement or an
 * outcome of a fix that an earlier set has. A judgement that differs from the earlier ones stays, because no proposal could have
 * been made from it.
 */
import type { LabelRef } from "../finding/LearnedSuppression.ts"
import { compareText } from "../text/compareText.ts"
import type { Generation } from "./Generation.ts"
import type { LabelledFinding, LabelledReview, Split } from "./LabelledReview.ts"

type Reviews = ReadonlyArray<LabelledReview>

/**
 * `from`: the generation that counts. The reviews that it was learned from stay in build, also if labels of older reviews are
 * added and 60 % would end before them.
 */
export const splitByTime = (reviews: Reviews, from: Generation | null = null): Split => {
  const ordered = byTime(reviews)
  const learnedFrom = new Set(from === null ? [] : evidenceOf(from).map(({ session }) => session))
  const lastLearned = ordered.findLastIndex(({ session }) => learnedFrom.has(session))
  const labelled = ordered.flatMap(({ findings }, index) => (findings.some(isJudged) ? [index] : []))
  const share = Math.ceil((labelled.length * 60) / 100)
  const learnedShare = labelled.filter((index) => index <= lastLearned).length
  const inBuild = Math.max(share, learnedShare)
  const inGate = Math.ceil(((labelled.length - inBuild) * 25) / 40)
  const end = (count: number): number => labelled[count] ?? ordered.length
  const gateAt = Math.max(end(inBuild), lastLearned + 1)
  const sealedAt = Math.max(end(inBuild + inGate), gateAt)
  return withoutRepeats([ordered.slice(0, gateAt), ordered.slice(gateAt, sealedAt), ordered.slice(sealedAt)])
}

export const isJudged = ({ judgement }: LabelledFinding): boolean => judgement !== null

/** Of a session that is given twice, the newest counts. */
const byTime = (reviews: Reviews): Reviews => {
  const inOrder = (a: LabelledReview, b: LabelledReview) => a.at - b.at || compareText(a.session, b.session)
  const bySession = new Map(reviews.toSorted(inOrder).map((review) => [review.session, review]))
  return [...bySession.values()].sort(inOrder)
}

const withoutRepeats = ([build, gate, sealed]: readonly [Reviews, Reviews, Reviews]): Split => {
  const earlier = new Set<string>()
  const later = (set: Reviews): Reviews => {
    const own = set.map((review) => ({
      ...review,
      findings: review.findings.map((each) => withoutRepeat(each, earlier))
    }))
    remember(set, earlier)
    return own
  }
  remember(build, earlier)
  return { build, gate: later(gate), sealed: later(sealed) }
}

const withoutRepeat = (finding: LabelledFinding, earlier: ReadonlySet<string>): LabelledFinding => {
  const isRepeated = (of: string | null) => earlier.has(`${finding.fingerprint} ${of}`)
  return {
    ...finding,
    ...(isRepeated(finding.judgement) && { judgement: null, judgedAt: null }),
    ...(isRepeated(finding.fixed) && { fixed: null })
  }
}

const remember = (set: Reviews, evidence: Set<string>): void => {
  for (const { fingerprint, fixed, judgement } of set.flatMap(({ findings }) => findings)) {
    if (fingerprint === "") continue
    if (judgement !== null) evidence.add(`${fingerprint} ${judgement}`)
    if (fixed !== null) evidence.add(`${fingerprint} ${fixed}`)
  }
}

/** When a person judged a finding, else when its review ended. */
export const eventTime = (review: LabelledReview, finding: LabelledFinding): number => finding.judgedAt ?? review.at

/** The time of the newest review or judgement, by which evidence ages; 0 without reviews. */
export const newestTime = ({ build, gate, sealed }: Split): number => {
  let newest = 0
  for (const review of [...build, ...gate, ...sealed]) {
    newest = review.findings.reduce((at, each) => Math.max(at, eventTime(review, each)), Math.max(newest, review.at))
  }
  return newest
}

/** What a set measures by, in a text whose digest names the set in a report: each label with its judgement, in order of time. */
export const identityOf = (set: Reviews): string =>
  JSON.stringify(
    set.map(({ findings, session }) => [
      session,
      findings.filter(isJudged).map(({ finding, judgement }) => [finding, judgement])
    ])
  )

/** Every reference of a generation, with repeats. */
export const evidenceOf = ({
  calibration,
  conventions,
  playbooks,
  suppressions
}: Generation): ReadonlyArray<LabelRef> =>
  [...suppressions, ...conventions, ...playbooks, ...calibration].flatMap(({ evidence = [] }) => evidence)
