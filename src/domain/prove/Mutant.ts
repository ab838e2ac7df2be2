/**
 * One small change of the code under review, made to see whether a test notices it.
 *
 * The terms are those of mutation testing (Jia and Harman, "An Analysis and Survey of the Development of Mutation Testing",
 * IEEE TSE 2011): an operator makes mutants, a test that fails kills one, and a mutant that no test kills survives.
 */

/** What a mutant stands for; docs/run.md has an example of each. */
export const operators = [
  "condition-negated",
  "operand-dropped",
  "boundary-moved",
  "comparison-swapped",
  "off-by-one",
  "call-deleted",
  "assignment-deleted",
  "result-replaced",
  "await-removed",
  "optional-removed",
  "default-flipped",
  "argument-dropped",
  "wrapping-removed",
  "pattern-weakened",
  "exception-swallowed",
  "case-dropped"
] as const
export type Operator = (typeof operators)[number]

export interface Mutant {
  readonly operator: Operator
  /** The node that is replaced, in UTF-16 units of the file. */
  readonly start: number
  readonly end: number
  readonly type: string
  /** Its text afterwards; null: the statement is not executed. */
  readonly after: string | null
  /** What a reader sees changed: a part of the node, from 1; the end column is exclusive. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly before: string
  /** "" if it is removed. */
  readonly instead: string
  /** Where the innermost function around it begins, in UTF-16 units; -1 outside of functions. */
  readonly scope: number
}
