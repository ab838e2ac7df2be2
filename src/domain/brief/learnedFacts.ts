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
      const { confidence, habit, id, kind, sessions, since, title } = artifact
      const found = files.flatMap((file) => {
        const isBroken = habit === null ? repairIn(artifact, file) : judged(conventions, habit, file)
        return isBroken === null ? [] : [{ path: file.path, isBroken }]
      })
      if (found.length === 0) return []
      const broken = found.flatMap(({ isBroken, path }) => (isBroken ? [path] : []))
      const fact: LearnedFact = {
        artifact: id,
        kind,
        title,
        files: found.map(({ path }) => path),
        broken,
        sessions,
        since
      }
      return [{ fact, confidence }]
    })
    .sort(
      (a, b) =>
        Number(b.fact.broken.length > 0) - Number(a.fact.broken.length > 0) ||
        b.confidence - a.confidence ||
        compareText(a.fact.artifact, b.fact.artifact)
    )
    .slice(0, mostFacts)
    .map(({ fact }) => fact)
}

const repairIn = ({ files }: LearnedArtifact, { path }: FileHabits): false | null =>
  files.includes(path) ? false : null

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
