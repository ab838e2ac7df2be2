/**
 * The agents that a flow calls: those that every review has, those that the claims of reviewers need, and those for what a
 * reviewer leaves unread. A review in prose needs one more to parse it, which no backend of dd asks for.
 */
import { tierOf } from "../code/Exploration.ts"
import type { Stack } from "../code/Stack.ts"
import { structureStack } from "../finding/MergedItem.ts"
import { type Phase, phases } from "../run/BackendChoice.ts"
import type { StartAt } from "../run/ReviewPlan.ts"

export interface Planned {
  readonly stacks: ReadonlyArray<Stack>
  readonly single: boolean
  readonly files: number
  readonly startAt: StartAt
}

/** A change of one file has no alternatives. */
export const hasAlternatives = (files: number): boolean => tierOf(files) !== "skip"

/** The phases in which agents are called, in order. */
export const plannedPhases = (
  steps: ReadonlyArray<string>,
  { files, single, startAt }: Planned
): ReadonlyArray<Phase> => {
  const isFresh = startAt === "review"
  const reviews = isFresh || startAt === "per-stack"
  const merges = startAt !== "fix" && !single
  const called = new Set(
    steps.flatMap((step): ReadonlyArray<Phase> => {
      switch (step) {
        case "intent":
          return isFresh ? ["intent"] : []
        case "alternatives":
          return isFresh && hasAlternatives(files) ? ["alternatives"] : []
        case "per-stack-reviews":
        case "review":
          return reviews ? ["per-stack-reviews"] : []
        case "per-stack-parse":
          return reviews ? ["per-stack-parse"] : []
        case "parse":
          return reviews ? ["per-stack-parse", "verify"] : []
        case "arbiter":
          return merges ? ["arbiter"] : []
        case "verify":
          return startAt === "fix" ? [] : ["verify"]
        case "cross-stack-merge":
          return merges ? ["merge"] : []
        case "review-intent":
          return ["intent"]
        case "review-alternatives":
          return [
            ...(hasAlternatives(files) ? (["alternatives"] as const) : []),
            "per-stack-reviews",
            "per-stack-parse",
            "verify",
            ...(merges ? (["merge"] as const) : [])
          ]
        default:
          return []
      }
    })
  )
  return phases.filter((phase) => called.has(phase))
}

/** The agents of every review: for its intent, for alternatives, and one for each stack. */
export const agentCount = (called: ReadonlyArray<Phase>, stacks: ReadonlyArray<Stack>): number =>
  Number(called.includes("intent")) +
  Number(called.includes("alternatives")) +
  (called.includes("per-stack-reviews") ? readers(stacks).length : 0)

/** More of them would read the beginning again for little each. */
export const mostVerifiers = 8

/** The maximum number of agents for claims: an arbiter, one that merges, and verifiers, each for the claims of a file or of several. */
export const agentsForClaims = (called: ReadonlyArray<Phase>, files: number): number =>
  Number(called.includes("arbiter")) +
  Number(called.includes("merge")) +
  (called.includes("verify") ? Math.min(files, mostVerifiers) : 0)

/** In at most so many groups, of similar size. Those that are given together stay together, in their order. */
export const inGroups = <A>(parts: ReadonlyArray<ReadonlyArray<A>>, most: number): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  for (const part of parts.toSorted((a, b) => b.length - a.length)) {
    const smallest = groups.reduce<Array<A> | null>((a, b) => (a === null || b.length < a.length ? b : a), null)
    if (groups.length < Math.max(1, most) || smallest === null) groups.push([...part])
    else smallest.push(...part)
  }
  return groups
}

/** The stacks that agents review. */
export const readers = (stacks: ReadonlyArray<Stack>): ReadonlyArray<Stack> =>
  stacks.filter(({ rulesOnly }) => rulesOnly !== true)

export const mostFollowUps = 32

/** The maximum number of follow-ups. `structure` gets none, because the other stacks cover every file. */
export const followUpCount = (called: ReadonlyArray<Phase>, stacks: ReadonlyArray<Stack>): number =>
  called.includes("per-stack-reviews")
    ? mostFollowUps * readers(stacks).filter(({ name }) => name !== structureStack).length
    : 0
