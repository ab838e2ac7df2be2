/**
 * Plans the review before any agent runs: the stacks of the change, whether it is small enough for one reviewer, and
 * the number of agents. Source: reference §9 and §2.5.
 */
import { Context, Effect, Layer } from "effect"
import { agentCount, plannedPhases } from "../../domain/agent/plannedAgents.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Stack, StackRule } from "../../domain/code/Stack.ts"
import { structureStack } from "../../domain/finding/MergedItem.ts"
import type { ReviewPlan, StartAt } from "../../domain/run/ReviewPlan.ts"
import { collapseTiny, detectStacks, stackMarkers } from "../../languages/stacks.ts"
import { Sources } from "../change/Sources.ts"

export interface PlanOptions {
  /** In the order of their registration; the first that matches a path is used. */
  readonly stackRules: ReadonlyArray<StackRule>
  /** A change of at most this many files gets one reviewer; 0: no change does. */
  readonly tinyThreshold: number
  /** The shallow flow: one reviewer for a change of any size. */
  readonly oneReviewer: boolean
  /** Names of the flow's steps. */
  readonly steps: ReadonlyArray<string>
  readonly startAt: StartAt
}

export class Planner extends Context.Service<
  Planner,
  {
    readonly plan: (change: Change, options: PlanOptions) => Effect.Effect<ReviewPlan>
  }
>()("dd/services/review/Planner") {
  static readonly layer = Layer.effect(
    Planner,
    Effect.gen(function* () {
      const sources = yield* Sources

      const readMarkers = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
        const texts = new Map<string, string>()
        const markers = stackMarkers(paths, new Set(yield* sources.headPaths))
        yield* sources.preload(markers)
        for (const path of markers) {
          const source = yield* sources.head(path)
          if (source._tag === "Text") texts.set(path, source.text)
        }
        return texts
      })

      const plan = Effect.fn("Planner.plan")(function* (change: Change, options: PlanOptions) {
        const paths = change.diff.files.map((file) => file.path)
        const detected = detectStacks(paths, { stackRules: options.stackRules, markers: yield* readMarkers(paths) })
        const threshold = options.oneReviewer ? paths.length : options.tinyThreshold
        const { single, stacks: readers } = collapseTiny(detected, threshold)
        const stacks = readers.map(
          (stack): Stack =>
            options.oneReviewer && stack.name === structureStack ? { ...stack, rulesOnly: true } : stack
        )
        const phases = plannedPhases(options.steps, { ...options, stacks, single, files: paths.length })
        return { stacks, single, phases, agentsPlanned: agentCount(phases, stacks) }
      })

      return Planner.of({ plan })
    })
  )
}
