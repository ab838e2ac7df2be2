/** The verdicts of readers on findings of a rule in real code, and the confidence that follows from them. */

export interface Verdicts {
  readonly true: number
  readonly arguable: number
  readonly false: number
}

export interface Judged {
  /** On what a commit added. */
  readonly commits: Verdicts
  /** On whole trees, as if every line were new. */
  readonly trees: Verdicts
}

export const noneJudged: Judged = {
  commits: { true: 0, arguable: 0, false: 0 },
  trees: { true: 0, arguable: 0, false: 0 }
}

/** The number of judged findings from which a confidence is measured. */
export const enoughJudged = 10

export const verdictsOf = ({ commits, trees }: Judged): Verdicts => ({
  true: commits.true + trees.true,
  arguable: commits.arguable + trees.arguable,
  false: commits.false + trees.false
})

export const judgedCount = (verdicts: Verdicts): number => verdicts.true + verdicts.arguable + verdicts.false

/** Are four of five judged findings true or arguable, and three of five true? Null: too few are judged. */
export const isUsuallyRight = (judged: Judged): boolean | null => {
  const verdicts = verdictsOf(judged)
  const all = judgedCount(verdicts)
  if (all < enoughJudged) return null
  return verdicts.true + verdicts.arguable >= 0.8 * all && verdicts.true >= 0.6 * all
}

/** The measured confidence, or what the rule's page states if too few findings are judged. */
export const confidenceOf = (judged: Judged, stated: "HIGH" | "MEDIUM"): "HIGH" | "MEDIUM" => {
  const isRight = isUsuallyRight(judged)
  if (isRight === null) return stated
  return isRight ? "HIGH" : "MEDIUM"
}
