/**
 * What no suppression hides: the findings that people accepted, of all sets, if they are of severity high, or if a suppression hid
 * them. A label of the latter is the only way to contradict what hides it, so it must not wait until its review is in the build set, and
 * counts also if the finding was accepted before, when it was shown.
 */
import { hides, type LearnedSuppression } from "../finding/LearnedSuppression.ts"
import type { Veto } from "./Fitness.ts"
import type { LabelledFinding, LabelledReview } from "./LabelledReview.ts"

export interface MustShow extends Pick<LabelledFinding, "file" | "finding" | "rule" | "severity"> {
  readonly session: string
  readonly reason: "high" | "hidden"
}

export const mustShow = (reviews: ReadonlyArray<LabelledReview>): ReadonlyArray<MustShow> =>
  reviews.flatMap(({ findings, session }) =>
    findings.flatMap(({ file, finding, hiddenBy, judgement, rule, severity }) => {
      if (judgement !== "accepted" || (severity !== "high" && hiddenBy === null)) return []
      return [
        { session, finding, rule, file, severity, reason: severity === "high" ? "high" : "hidden" } satisfies MustShow
      ]
    })
  )

/** One for each suppression that hides one of them. */
export const vetoesOf = (
  suppressions: ReadonlyArray<LearnedSuppression>,
  shown: ReadonlyArray<MustShow>,
  now: number
): ReadonlyArray<Veto> => {
  const byRule = Map.groupBy(shown, ({ rule }) => rule)
  return suppressions.flatMap((suppression): ReadonlyArray<Veto> => {
    const own = byRule.get(suppression.rule)?.find((each) => hides(suppression, each, now))
    if (own === undefined) return []
    const detail = `${suppression.id} hides the accepted finding ${own.finding} of ${own.session}`
    return [{ kind: own.reason === "high" ? "hides-accepted-high" : "hides-accepted-again", detail }]
  })
}
