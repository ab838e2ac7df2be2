/** How many tokens a pack may have. Source: reference context-pack §1.3. */

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
const mostAnswer = 32_000

/** The most tokens of an answer, including the model's reasoning. */
export const longestAnswer = (contextTokens: number): number =>
  Math.min(mostAnswer, Math.floor(contextTokens * (1 - requestShare)))

/** The most tokens of a pack that a model can get with a query. Its own tokenizer may count more. */
export const largestSent = (contextTokens: number, query: string): number =>
  Math.max(0, contextTokens - longestAnswer(contextTokens) - queryTokens(query))

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
  { contextTokens, given, mostPack }: Record<"contextTokens" | "given" | "mostPack", number | null>,
  query: string
): BudgetPlan => {
  const most = contextTokens === null ? Number.POSITIVE_INFINITY : contextTokens - longestAnswer(contextTokens)
  const automatic = contextTokens === null ? requested : Math.floor(contextTokens * requestShare)
  const planned = Math.min(given ?? automatic, most)
  return {
    source: given !== null ? "manual" : contextTokens !== null ? "model" : "default",
    contextTokens,
    requested: planned,
    pack: Math.min(packBudget(planned, query), mostPack ?? Number.POSITIVE_INFINITY)
  }
}
