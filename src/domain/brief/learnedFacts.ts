/**
 * What was learned that applies to the changed files. A change breaks a convention in a file that is new, or that followed it
 * before; what a file did all along is not about the change.
 */
import { breaks, domainOf, type Habit } from "../code/habits/Habit.ts"
import { compareText } from "../text/compareText.ts"
import type { LearnedArtifact, LearnedFact } from "./Learned.ts"

/** A changed file with its habits on both sides; none for a side that does not exist. */
export interface FileHabits {
  readonly path: string
  readonly before: ReadonlyArray<Habit>
  readonly after: ReadonlyArray<Habit>
}

const mostFacts = 12

/** Broken ones first, then the most certain. */
export const learnedFacts = (
  artifacts: ReadonlyArray<LearnedArtifact>,
  files: ReadonlyArray<FileHabits>
): ReadonlyArray<LearnedFact> => {
  const conventions = bestOfSlots(artifacts)
  return artifacts
    .flatMap((artifact) => {
      const { confidence, habit } = artifact
      const found = files.flatMap((file) => {
        const isBroken = habit === null ? listed(artifact, file) : judged(conventions, habit, file)
        return isBroken === null ? [] : [{ path: file.path, isBroken }]
      })
      if (found.length === 0) return []
      const broken = found.flatMap(({ isBroken, path }) => (isBroken ? [path] : []))
      const paths = found.map(({ path }) => path)
      return [{ fact: factOf(artifact, paths, broken), confidence }]
    })
    .sort((a, b) => Number(b.fact.broken.length > 0) - Number(a.fact.broken.length > 0) || byConfidence(a, b))
    .slice(0, mostFacts)
    .map(({ fact }) => fact)
}

/** The repairs of findings of these rules, the most certain first. */
export const learnedRepairs = (
  artifacts: ReadonlyArray<LearnedArtifact>,
  findings: ReadonlyArray<{ readonly file: string; readonly rule?: string }>
): ReadonlyArray<LearnedFact> => {
  const filesOf = Map.groupBy(findings, ({ rule }) => rule)
  return artifacts
    .flatMap((artifact) => {
      const found = artifact.rule === null ? [] : (filesOf.get(artifact.rule) ?? [])
      const files = [...new Set(found.map(({ file }) => file))]
      return files.length === 0 ? [] : [{ fact: factOf(artifact, files, []), confidence: artifact.confidence }]
    })
    .sort(byConfidence)
    .slice(0, mostFacts)
    .map(({ fact }) => fact)
}

const factOf = (
  { from, id, kind, title }: LearnedArtifact,
  files: ReadonlyArray<string>,
  broken: ReadonlyArray<string>
): LearnedFact => ({ artifact: id, kind, title, files, broken, ...from })

interface Weighted {
  readonly fact: LearnedFact
  readonly confidence: number
}

const byConfidence = (a: Weighted, b: Weighted): number =>
  b.confidence - a.confidence || compareText(a.fact.artifact, b.fact.artifact)

const listed = ({ files }: LearnedArtifact, { path }: FileHabits): false | null => (files.includes(path) ? false : null)

/** A slot has one value: the most certain one. */
const bestOfSlots = (artifacts: ReadonlyArray<LearnedArtifact>): ReadonlyMap<string, string> => {
  const best = new Map<string, { readonly value: string; readonly confidence: number }>()
  for (const { confidence, habit } of artifacts) {
    if (habit !== null && confidence > (best.get(habit.slot)?.confidence ?? 0))
      best.set(habit.slot, { value: habit.value, confidence })
  }
  return new Map([...best].map(([slot, { value }]) => [slot, value]))
}

/** Is the convention broken in this file? Null if it does not apply to it. */
const judged = (
  conventions: ReadonlyMap<string, string>,
  { slot, value }: Habit,
  { after, before }: FileHabits
): boolean | null => {
  if (conventions.get(slot) !== value) return null
  const isOfSlot = (each: Habit) => each.slot === slot
  const now = after.find(isOfSlot)
  if (now === undefined) return null
  // The names of a folder have precedence over those of the folders above it.
  const nearest = after.find((each) => domainOf(each.slot) === "naming" && conventions.has(each.slot))
  if (domainOf(slot) === "naming" && nearest !== now) return null
  const then = before.find(isOfSlot)
  return breaks(value, now.value) && !(then !== undefined && breaks(value, then.value))
}
