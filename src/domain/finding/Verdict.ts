/** The verdict on a finding: whether the code agrees with it. */
import { Schema } from "effect"

export const Agreement = Schema.Literals(["consistent", "uncertain", "contradicts"])

/** The reasons come before the verdict, so that a model writes them first. */
export class Verdict extends Schema.Class<Verdict>("dd/Verdict")({
  /** The number of the finding. */
  issue_id: Schema.Int,
  evidence: Schema.String,
  unverified_assumptions: Schema.Array(Schema.String),
  /** Why the code that the claim suggests would be wrong; absent: it is right, or there is none. */
  suggestion_fault: Schema.optionalKey(Schema.String),
  verdict: Agreement
}) {}

/** By the fingerprint of their finding. */
export type Verdicts = ReadonlyMap<string, Verdict>

/** The verdicts on these findings, by the numbers that the findings have now. */
export const verdictsOn = (
  findings: ReadonlyArray<{ readonly fingerprint: string; readonly id: number }>,
  verdicts: Verdicts
): ReadonlyArray<{ readonly fingerprint: string; readonly verdict: Verdict }> =>
  findings.flatMap(({ fingerprint, id }) => {
    const own = verdicts.get(fingerprint)
    return own === undefined ? [] : [{ fingerprint, verdict: Verdict.make({ ...own, issue_id: id }) }]
  })

/** `more` replaces what is known; its numbers are those of the findings. */
export const withVerdicts = (
  known: Verdicts,
  findings: ReadonlyArray<{ readonly fingerprint: string; readonly id: number }>,
  more: ReadonlyArray<Verdict>
): Verdicts => {
  const byId = new Map(more.map((verdict) => [verdict.issue_id, verdict]))
  const added = findings.flatMap(({ fingerprint, id }) => {
    const own = byId.get(id)
    return own === undefined ? [] : [[fingerprint, own] as const]
  })
  return new Map([...known, ...added])
}
