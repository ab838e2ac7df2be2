/** A generation that counts although a check failed after its commit (`halted-on-regression-post-commit`): what a report says of it. */
import { type IterationSummary, isCommitted } from "../Summary.ts"

export interface Flagged {
  readonly generation: number
  /** What the check found. */
  readonly fault: string
}

/** Null: there is none, or a later one counts. */
export const flaggedOf = (iterations: ReadonlyArray<IterationSummary> = []): Flagged | null => {
  const last = iterations.findLast(({ status }) => isCommitted(status))
  const generation = last?.dd?.generation
  if (last?.status !== "halted-on-regression-post-commit" || generation === undefined) return null
  return { generation, fault: last.error ?? "the reason is not known" }
}

export const flaggedNotes = (iterations: ReadonlyArray<IterationSummary>): ReadonlyArray<string> => {
  const flagged = flaggedOf(iterations)
  return flagged === null
    ? []
    : [`generation ${flagged.generation} counts, although a check failed after its commit: ${flagged.fault}`]
}

export const rollbackOf = ({ generation }: Flagged): string => `dd dream rollback ${generation - 1}`

/** The first move of the morning. */
export const checkFlagged = (flagged: Flagged): string =>
  `Check generation ${flagged.generation}, which counts although a check failed after its commit: \`${rollbackOf(flagged)}\` goes back to the one before it, \`dd dream rollback\` lists all.`
