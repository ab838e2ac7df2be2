/** What a fix costs its file: a warning where it adds more complexity or more lines than fixes by people do. */
import { Schema } from "effect"
import { isFixed, type Outcome } from "./Outcome.ts"

/**
 * In points of `languages/complexity.ts`, and in lines, for each finding fixed in the file. Of 120 commits that fix one
 * file of click, Express and Cobra, 13 exceed one of them; of the 50 repaired programs of QuixBugs, none.
 */
export const mostComplexity = 5
export const mostLines = 30

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const QualityWarning = Schema.Struct({
  path: Schema.String,
  measure: Schema.Literals(["complexity", "verbosity"]),
  before: count.annotate({ description: "The complexity of the file before the fixes; for verbosity, lines removed." }),
  after: count.annotate({ description: "The complexity of the file after the fixes; for verbosity, lines added." }),
  fixed: count.annotate({ description: "Findings fixed in the file." })
})
export type QualityWarning = typeof QualityWarning.Type

/** One fixed file. */
export interface FileMeasures {
  readonly path: string
  /** Its complexity; 0 in a language that is not parsed. */
  readonly before: number
  readonly after: number
  readonly removed: number
  readonly added: number
}

export const qualityWarnings = (
  files: ReadonlyArray<FileMeasures>,
  outcomes: ReadonlyArray<Outcome>
): ReadonlyArray<QualityWarning> =>
  files.flatMap(({ added, after, before, path, removed }) => {
    const fixed = outcomes.filter((outcome) => outcome.path === path && isFixed(outcome)).length
    const warnings: Array<QualityWarning> = []
    if (after - before > mostComplexity * Math.max(fixed, 1)) {
      warnings.push({ path, measure: "complexity", before, after, fixed })
    }
    if (added > mostLines * Math.max(fixed, 1)) {
      warnings.push({ path, measure: "verbosity", before: removed, after: added, fixed })
    }
    return warnings
  })
