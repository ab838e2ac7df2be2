/** The findings behind a packet or a learned item, and how a report names those that matter. */
import { compareText } from "../../text/compareText.ts"
import { oneLine } from "../../text/Printable.ts"
import type { LabelledFinding, LabelledReview } from "../LabelledReview.ts"

/** A finding with the review that has it. */
export interface Labelled extends LabelledFinding {
  readonly session: string
  readonly at: number
}

type Refs = ReadonlyArray<{ readonly session: string; readonly finding: number }>

/** Those that the archive still has. */
export const evidenceIn = (reviews: ReadonlyArray<LabelledReview>): ((refs: Refs) => ReadonlyArray<Labelled>) => {
  const known = new Map(
    reviews.flatMap(({ at, findings, session }) =>
      findings.map((each) => [`${session} ${each.finding}`, { ...each, session, at }] as const)
    )
  )
  return (refs) => refs.flatMap(({ finding, session }) => known.get(`${session} ${finding}`) ?? [])
}

/** Pieces of evidence that are named. */
const mostListed = 5

/** The newest of each judgement in turn, so that both sides are seen. */
export const shownEvidence = (evidence: ReadonlyArray<Labelled>): ReadonlyArray<Labelled> => {
  const newest = evidence.toSorted(
    (a, b) => (b.judgedAt ?? b.at) - (a.judgedAt ?? a.at) || compareText(a.session, b.session) || a.finding - b.finding
  )
  const sides = [...Map.groupBy(newest, outcomeOf).values()]
  return newest.flatMap((_, turn) => sides.flatMap((side) => side[turn] ?? [])).slice(0, mostListed)
}

export const evidenceLines = (evidence: ReadonlyArray<Labelled>): ReadonlyArray<string> => {
  const shown = shownEvidence(evidence)
  const left = evidence.length - shown.length
  return [...shown.map(evidenceLine), ...(left === 0 ? [] : [`and ${left} more`])]
}

const outcomeOf = ({ fixed, judgement }: Labelled): string =>
  judgement ?? (fixed === null ? "no label" : `its fix ${fixed}`)

const evidenceLine = (each: Labelled): string =>
  `${oneLine(each.file)}:${each.line}, review ${each.session.slice(0, 8)}, finding ${each.finding}: ${outcomeOf(each)}`
