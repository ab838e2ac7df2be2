/**
 * The earlier run that `--resume` continues: the logs of its agents, and what this run has used of them.
 *
 * An agent is continued only if its prompt, model and effort are the same, which the id of its context contains.
 */
import { Context, Effect } from "effect"
import { withCost } from "../../domain/agent/Prices.ts"
import { costOfCall, countUsage, noCallUsage } from "../../domain/agent/Usage.ts"
import type { AgentEvent } from "../../domain/run/AgentEvent.ts"
import { Budget } from "./Budget.ts"
import { PriceList } from "./PriceList.ts"

export interface ResumedRun {
  readonly session: string
  /** The directory with the logs of its agents. */
  readonly agents: string
  /** The word of its fences. With another one every prompt would differ. */
  readonly nonce: string
  /** As its record has them; "" if unknown. */
  readonly by: { readonly backend: string; readonly model: string }
  /** What each of its contexts has used, by id. */
  readonly contexts: ReadonlyMap<string, ReadonlyArray<AgentEvent>>
  /** Contexts whose answer was taken, and contexts that were continued. */
  readonly answered: Set<string>
  readonly continued: Set<string>
}

/** Null: a review from the beginning. */
export const ResumedRun = Context.Reference<ResumedRun | null>("dd/services/agent/ResumedRun", {
  defaultValue: () => null
})

/** Counts what its agents have cost toward the cost limit, whether their answers are taken or not. */
export const countEarlier = Effect.gen(function* () {
  const resumed = yield* ResumedRun
  const budget = yield* Budget
  if (resumed === null || budget.limit === null) return
  const { prices } = yield* (yield* PriceList).read
  for (const events of resumed.contexts.values()) {
    let usage = noCallUsage
    for (const event of events) {
      if (event._tag !== "Metrics" && event._tag !== "Cost") continue
      usage = countUsage(usage, withCost(usage, event, prices, event.model ?? resumed.by.model))
    }
    yield* budget.spend(costOfCall(usage).usd ?? 0)
  }
})

/** The contexts whose answer was not taken. */
export const unusedIn = ({ answered, contexts, continued }: ResumedRun) =>
  new Map([...contexts].filter(([id]) => !answered.has(id) && !continued.has(id)))

/** What was used, for the reader. `now`: who answers in this run. */
export const resumedNote = (resumed: ResumedRun, now: ResumedRun["by"]): string => {
  const { answered, by, continued, session } = resumed
  const fixes = [...unusedIn(resumed).keys()].filter((id) => id.startsWith("task:fix:")).length
  const others = unusedIn(resumed).size - fixes
  const isSameBackend = by.backend === "" || by.backend === now.backend
  const why = !isSameBackend
    ? `that run asked ${by.backend} and this one ${now.backend === "static" ? "no model" : `asks ${now.backend}`}`
    : by.model !== "" && by.model !== now.model
      ? `that run asked ${by.model} and this one asks ${now.model}`
      : "the task or the prompt differs, or because they ended without an answer"
  return [
    `This resumes the run ${session}. Of its agents, the answers of ${answered.size} are taken and ${continued.size} continue.`,
    ...(others === 0 ? [] : [`${others} ${others === 1 ? "is" : "are"} not used, because ${why}.`]),
    ...(fixes === 0 ? [] : [`${fixes} that changed files ${fixes === 1 ? "is" : "are"} not continued.`]),
    "The cost and its limit include what all of them cost then."
  ].join(" ")
}
