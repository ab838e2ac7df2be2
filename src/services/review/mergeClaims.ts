/**
 * Merges the records of all reviewers into one item for each claim.
 *
 * dd itself merges; a model, if there is one, may only add notes to the result. Fails open to the items without notes:
 * a completed review is never lost here.
 */
import { Effect } from "effect"
import { applyNotes, type MergedItem, mergeRecords } from "../../domain/finding/MergedItem.ts"
import type { StackRecords } from "../../domain/finding/StackReport.ts"
import { Agent } from "../agent/Agent.ts"
import { failsOpen } from "../run/FailPolicy.ts"

export interface MergeRequest {
  readonly intent: string
  readonly stacks: ReadonlyArray<StackRecords>
  readonly alternatives: StackRecords
  /** One reviewer read the whole change: its claims and those of `structure` are merged without an agent. */
  readonly single: boolean
  /** Stack name to the failure of its reviewer. */
  readonly failures: Readonly<Record<string, string>>
}

const annotate = Effect.fnUntraced(function* (request: MergeRequest, items: ReadonlyArray<MergedItem>) {
  const agent = yield* Agent
  const { intent, failures } = request
  const reply = yield* agent.invoke({ _tag: "Merge", intent, items, failures }, { phase: "merge" }, { notes: [] })
  return applyNotes(items, reply.notes)
})

export const mergeClaims = Effect.fn("Merger.merge")(function* (request: MergeRequest) {
  const agent = yield* Agent
  const items = mergeRecords([...request.stacks, request.alternatives])
  // Rules have no notes on their own claims, and one stack cannot be compared with others.
  const isAlone = request.single || request.stacks.length < 2
  if (!agent.hasModel("per-stack-reviews") || items.length === 0 || isAlone) return items
  return yield* annotate(request, items).pipe(failsOpen("cross-stack-merge", items))
})
