/** What is planned before any agent runs, and where a review begins. */
import type { Stack } from "../code/Stack.ts"
import type { Phase } from "./BackendChoice.ts"

/** The points at which a deep review can resume an earlier one: the values of `--start-at`. */
export const startPoints = ["review", "per-stack", "merge", "fix"] as const
export type StartAt = (typeof startPoints)[number]

/** The plan of the review, made before any agent runs. */
export interface ReviewPlan {
  /** In the order of their reviews; `structure` last. */
  readonly stacks: ReadonlyArray<Stack>
  /** Is the change so small that arbiter and merge are skipped? */
  readonly single: boolean
  /** The phases in which agents are called. */
  readonly phases: ReadonlyArray<Phase>
  /** The agents that every such review calls. */
  readonly agentsPlanned: number
  /** At most so many more for claims. */
  readonly agentsForClaims: number
}
