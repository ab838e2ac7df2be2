/**
 * Plans the review before any agent runs: the stacks of the change, or its shards if a model cannot get all of it at once,
 * whether it is small enough for one reviewer, and the number of agents.
 */
import { Effect } from "effect"
import { agentCount, agentsForClaims, plannedPhases } from "../../domain/agent/plannedAgents.ts"
import { canBeInCluster, tiesOf } from "../../domain/brief/sizeOf.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Stack, StackRule } from "../../domain/code/Stack.ts"
import { structureStack } from "../../domain/finding/MergedItem.ts"
import { type ShardFile, shardsOf } from "../../domain/review/shardsOf.ts"
import type { StartAt } from "../../domain/run/ReviewPlan.ts"
import { isDecidedByText } from "../../languages/fileKinds.ts"
import { collapseTiny, detectStacks, stackMarkers } from "../../languages/stacks.ts"
import { hunkTokens } from "../../prompts/diffText.ts"
import { PromptLimits } from "../agent/PromptBuilder.ts"
import { clusterFile, mostFiles } from "../brief/size.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources, splitLines } from "../change/Sources.ts"

/** The share of the room that shards use: redaction can make a diff longer. */
const fill = 0.95

export interface PlanOptions {
  /** In the order of their registration; the first that matches a path is used. */
  readonly stackRules: ReadonlyArray<StackRule>
  /** A change of at most this many files gets one reviewer; 0: no change does. */
  readonly tinyThreshold: number
  /** The shallow flow: one reviewer for a change of any size. */
  readonly oneReviewer: boolean
  /** A model reviews the stacks. */
  readonly readsByModel: boolean
  /** Names of the flow's steps. */
  readonly steps: ReadonlyArray<string>
  readonly startAt: StartAt
}

const readHints = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  const markers = stackMarkers(paths, new Set(yield* sources.headPaths))
  const texts = yield* readTexts(sources, paths.filter(isDecidedByText))
  return {
    markers: yield* readTexts(sources, markers),
    texts: new Map([...texts].map(([path, text]) => [path, splitLines(text)]))
  }
})

/** Null if all of the diff fits into one prompt. */
const shards = Effect.fnUntraced(function* ({ diff }: Change, stacks: ReadonlyArray<Stack>) {
  const room = (yield* PromptLimits).diff
  const stackOf = new Map(
    stacks.flatMap(({ files, name }) => (name === structureStack ? [] : files.map((path) => [path, name] as const)))
  )
  const files = diff.files.map(
    (file): ShardFile => ({ file, tokens: hunkTokens(file), stack: stackOf.get(file.path) ?? "generic" })
  )
  const all = files.reduce((sum, { tokens }) => sum + tokens.reduce((own, each) => own + each, 0), 0)
  if (all <= room) return null
  const shown = files.filter(({ file, tokens }) => tokens.length > 0 && canBeInCluster(file.path))
  const compared = shown.length <= mostFiles ? shown : []
  const clusterFiles = yield* Effect.forEach(compared, ({ file }) => clusterFile(file))
  return shardsOf(files, tiesOf(clusterFiles), room * fill)
})

export const planReview = Effect.fn("Planner.plan")(function* (change: Change, options: PlanOptions) {
  const paths = change.diff.files.map((file) => file.path)
  const detected = detectStacks(paths, { stackRules: options.stackRules, ...(yield* readHints(paths)) })
  const threshold = options.oneReviewer ? paths.length : options.tinyThreshold
  const isDivided = options.readsByModel && !options.oneReviewer
  const parts = isDivided ? yield* shards(change, detected) : null
  const { single, stacks: readers } =
    parts === null || parts.length === 1
      ? collapseTiny(detected, threshold)
      : { single: false, stacks: [...parts, ...detected.filter(({ name }) => name === structureStack)] }
  const stacks = readers.map(
    (stack): Stack => (options.oneReviewer && stack.name === structureStack ? { ...stack, rulesOnly: true } : stack)
  )
  const phases = plannedPhases(options.steps, { ...options, stacks, single, files: paths.length })
  return {
    stacks,
    single,
    phases,
    agentsPlanned: agentCount(phases, stacks),
    agentsForClaims: agentsForClaims(phases, paths.length)
  }
})
