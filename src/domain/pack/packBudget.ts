/** How many tokens a pack may have. */
import { answerTokens, type ModelRoom } from "./ModelRoom.ts"

/** Of a model whose window is not known: pack, question and protocol together. */
const requested = 272_000
/** For instructions and the protocol. */
const overhead = 12_000
const leastForQuery = 2_048
const least = 4_096

const queryTokens = (query: string): number => Math.ceil(query.trim().length / 3)

/** What is left for the pack of `tokens`; a query is counted as a third of its characters. */
export const packBudget = (tokens: number, query: string): number =>
  Math.max(least, tokens - overhead - Math.max(leastForQuery, queryTokens(query)))

/** The budget of a pack that is not sent with a query. */
export const defaultPackBudget = packBudget(requested, "")

/** Of the model's window. */
const requestShare = 0.75

/** The most tokens of a pack that a model can get with a query. Its own tokenizer may count more. */
export const largestSent = (room: ModelRoom, query: string): number =>
  Math.max(0, room.contextTokens - answerTokens(room) - queryTokens(query))

/** How the tokens of a request are divided. */
export interface BudgetPlan {
  /** `manual`: the user gave the budget. `model`: from the model's window. `default`: the window is not known. */
  readonly source: "manual" | "model" | "default"
  /** Tokens of a request and its answer together; null if unknown. */
  readonly contextTokens: number | null
  /** For pack, question and protocol together. */
  readonly requested: number
  readonly pack: number
}

/** `given`: the user's budget for the request. `mostPack`: the user's limit for packs. */
export const budgetPlan = (
  { given, mostPack, room }: Record<"given" | "mostPack", number | null> & { readonly room: ModelRoom | null },
  query: string
): BudgetPlan => {
  const most = room === null ? Number.POSITIVE_INFINITY : room.contextTokens - answerTokens(room)
  const automatic = room === null ? requested : Math.floor(room.contextTokens * requestShare)
  const planned = Math.min(given ?? automatic, most)
  return {
    source: given !== null ? "manual" : room !== null ? "model" : "default",
    contextTokens: room?.contextTokens ?? null,
    requested: planned,
    pack: Math.min(packBudget(planned, query), mostPack ?? Number.POSITIVE_INFINITY)
  }
}
