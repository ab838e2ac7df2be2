/** How much a generation has at most, so that a review loads it quickly. What most labels support is kept. */
import type { RuleCalibration } from "../../finding/Calibration.ts"
import type { LearnedSuppression } from "../../finding/LearnedSuppression.ts"
import { compareText } from "../../text/compareText.ts"
import type { LearnedConvention, LearnedPlaybook } from "../Generation.ts"

export interface Bound<A> {
  readonly most: number
  readonly labels: (item: A) => number
  readonly key: (item: A) => string
}

const byId = ({ id }: { readonly id: string }): string => id

export const suppressionBound: Bound<LearnedSuppression> = { most: 200, labels: ({ rejected }) => rejected, key: byId }
export const conventionBound: Bound<LearnedConvention> = { most: 500, labels: ({ accepted }) => accepted, key: byId }
export const playbookBound: Bound<LearnedPlaybook> = { most: 200, labels: ({ passed }) => passed, key: byId }
export const calibrationBound: Bound<RuleCalibration> = {
  most: 1_000,
  labels: ({ accepted, rejected }) => accepted + rejected,
  key: ({ by, rule }) => JSON.stringify([rule, by])
}

/** In order of their keys. */
export const bounded = <A>({ key, labels, most }: Bound<A>, items: ReadonlyArray<A>): ReadonlyArray<A> => {
  const byKey = (a: A, b: A): number => compareText(key(a), key(b))
  return items
    .toSorted((a, b) => labels(b) - labels(a) || byKey(a, b))
    .slice(0, most)
    .sort(byKey)
}
