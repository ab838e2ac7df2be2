/**
 * What a run that was interrupted goes on from: the iterations that it recorded as `iter-N.json`. They are taken from the first one on
 * as long as each is there, can be read, and belongs to the run; what follows a gap is not taken.
 */
import { Result } from "effect"
import { observed, type Plateau } from "./plateau.ts"
import { decodeIteration, type IterationSummary, isCommitted } from "./Summary.ts"

export interface IterationFile {
  readonly name: string
  /** Null: it could not be read. */
  readonly text: string | null
}

export interface Rehydrated {
  /** Iterations 1, 2, 3 and so on. */
  readonly iterations: ReadonlyArray<IterationSummary>
  /** One for each file that was not taken, for `degraded`. */
  readonly notes: ReadonlyArray<string>
}

/** Files with other names are passed over. */
export const rehydrated = (run: string, files: ReadonlyArray<IterationFile>): Rehydrated => {
  const numbered = files
    .flatMap((file) => {
      const index = /^iter-([1-9]\d*)\.json$/.exec(file.name)?.[1]
      return index === undefined ? [] : [{ ...file, index: Number(index) }]
    })
    .sort((a, b) => a.index - b.index)
  const iterations: Array<IterationSummary> = []
  const notes: Array<string> = []
  for (const { index, name, text } of numbered) {
    const read = iterationOf(run, index, text)
    const next = iterations.length + 1
    if (Result.isFailure(read)) notes.push(`rehydrate rejected: ${name}: ${read.failure}`)
    else if (index !== next) notes.push(`rehydrate rejected: ${name}: iteration ${next} is missing`)
    else iterations.push(read.success)
  }
  return { iterations, notes }
}

const iterationOf = (run: string, index: number, text: string | null): Result.Result<IterationSummary, string> =>
  Result.filterOrFail(
    text === null ? Result.fail("it could not be read") : decodeIteration(text),
    ({ id, index: written }) => written === index && id === `${run}-iter-${index}`,
    ({ id, index: written }) => `it is iteration ${written} of ${id}`
  )

/**
 * The fitness that the next iteration is compared with: that of the newest iteration whose generation was committed. Null if there is
 * none, or if nothing could be measured then; an older one is no baseline, since its generation no longer counts.
 */
export const baselineOf = (iterations: ReadonlyArray<IterationSummary>): Readonly<Record<string, number>> | null =>
  iterations.findLast(({ status }) => isCommitted(status))?.fitness_after ?? null

/** How many committed iterations in a row hardly changed the composite: with it, the plateau is found as without the interruption. */
export const streakOf = (iterations: ReadonlyArray<IterationSummary>, plateau: Plateau): number =>
  iterations
    .filter(({ fitness_before, status }) => isCommitted(status) && fitness_before?.composite !== undefined)
    .reduce((streak, { fitness_delta }) => observed(streak, fitness_delta, plateau).streak, 0)
