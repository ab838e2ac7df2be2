import { Effect } from "effect"
import { priceOf } from "../../../domain/agent/Prices.ts"
import { readers } from "../../../domain/agent/plannedAgents.ts"
import { phaseOf, type Task } from "../../../domain/agent/Task.ts"
import { nothingExplored } from "../../../domain/code/Exploration.ts"
import type { Phase } from "../../../domain/run/BackendChoice.ts"
import { tokenEstimate } from "../../../domain/text/tokenEstimate.ts"
import type { Briefing } from "../../../services/agent/Briefing.ts"
import type { CostEstimate } from "../../../services/agent/CostEstimate.ts"
import type { PriceList } from "../../../services/agent/PriceList.ts"
import type { Chain } from "./Routed.ts"

/** An answer has at least this many tokens. */
const shortAnswer = 1_000

/** Estimates one turn of each agent whose task is known before any answer. */
export const estimateWith =
  (chains: Readonly<Record<Phase, Chain>>, briefing: Briefing["Service"], list: PriceList): CostEstimate =>
  (change, { phases, stacks }) =>
    Effect.gen(function* () {
      const { prices } = yield* list.read
      const shared = { change, exploration: nothingExplored }
      const tasks: ReadonlyArray<Task> = [
        { _tag: "Intent", ...shared },
        { _tag: "Alternatives", ...shared, intent: "" },
        ...readers(stacks).map(
          (stack): Task => ({ _tag: "StackReview", ...shared, intent: "", alternatives: [], stack })
        )
      ]
      let promptTokens = 0
      let usd: number | null = 0
      for (const task of tasks) {
        const [first] = chains[phaseOf[task._tag]]
        if (first === "static" || !phases.includes(phaseOf[task._tag])) continue
        const { system, user } = yield* briefing.promptFor(task, null)
        const tokens = tokenEstimate([...system, ...user.map(({ text }) => text)].join("\n"))
        promptTokens += tokens
        const price = priceOf(prices, first.model, {
          promptTokens: tokens,
          cachedTokens: 0,
          completionTokens: shortAnswer
        })
        usd = usd === null || price === null ? null : usd + price
      }
      return { promptTokens, usd }
    })
