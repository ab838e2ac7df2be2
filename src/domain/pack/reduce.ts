/**
 * What is shown of the changed files where their full text exceeds the budget: first generated and very large ones are
 * cut to what surrounds their changes, then the largest ones, then the largest ones to the headers of their definitions.
 */
import { compareText } from "../text/compareText.ts"
import type { Reduction } from "./Pack.ts"

const extents = ["full", "slice", "outline"] as const
export type ShownExtent = (typeof extents)[number]

export interface Shrinkable {
  readonly path: string
  readonly isGenerated: boolean
  /** Tokens at each extent. */
  readonly tokens: Readonly<Record<ShownExtent, number>>
}

/** A body of more tokens is the first to be cut. */
const huge = 12_000

/** The fewest steps that save `excess` tokens in the order of the ladder; all steps if even these are not enough. */
export const reductionsFor = (files: ReadonlyArray<Shrinkable>, excess: number): ReadonlyArray<Reduction> => {
  const largestFirst = files.toSorted((a, b) => b.tokens.full - a.tokens.full || compareText(a.path, b.path))
  const isFirst = ({ isGenerated, tokens }: Shrinkable) => isGenerated || tokens.full > huge
  const steps = [
    ...largestFirst.filter(isFirst).map((file) => stepOf(file, "full", "slice")),
    ...largestFirst.filter((file) => !isFirst(file)).map((file) => stepOf(file, "full", "slice")),
    ...largestFirst.map((file) => stepOf(file, "slice", "outline"))
  ]
  const taken: Array<Reduction> = []
  let left = excess
  for (const step of steps) {
    if (left <= 0) break
    if (step.saved <= 0) continue
    left -= step.saved
    taken.push(step)
  }
  return taken
}

const stepOf = ({ path, tokens }: Shrinkable, from: ShownExtent, to: ShownExtent): Reduction => ({
  path,
  // A slice that is no smaller is the whole file.
  from: tokens[from] === tokens.full ? "full" : from,
  to,
  saved: tokens[from] - tokens[to]
})
