/** Has the archive a label, or the outcome of a fix, of this finding? */
import type { LabelRef } from "../../finding/LearnedSuppression.ts"
import type { LabelledReview } from "../LabelledReview.ts"
import { refKey } from "./opinions.ts"

export const resolverOf = (reviews: ReadonlyArray<LabelledReview>): ((ref: LabelRef) => boolean) => {
  const known = new Set(
    reviews.flatMap(({ findings, session }) =>
      findings.flatMap(({ finding, fixed, judgement }) =>
        (judgement ?? fixed) === null ? [] : refKey({ session, finding })
      )
    )
  )
  return (ref) => known.has(refKey(ref))
}
