/**
 * What agents cost before they run: at least, and usually. The assumptions are in `usual`; they are not measured.
 */
import { type Prices, priceOf } from "./Prices.ts"

export interface ExpectedAgent {
  readonly model: string
  /** Tokens of the beginning that agents share, and of the rest of the prompt. */
  readonly prefix: number
  readonly own: number
  readonly turns: number
}

/** docs/models.md names them. */
export const usual = {
  /** Tokens of what agents share. */
  prompt: 30_000,
  /** Of a reviewer, and of an agent that judges claims. */
  turns: 5,
  turnsOfJudge: 3,
  /** Tokens of a turn: the results that are read, and the answer with its thinking. */
  results: 3_000,
  answer: 1_000,
  /** Tokens of a short answer. */
  leastAnswer: 200,
  /** At most so many files have claims, and the claims of one with their code have so many tokens. */
  filesWithClaims: 4,
  claims: 4_000
}

/** The share of their usual size that prompts have, so that the beginning which agents share costs at most a quarter of the limit. */
export const promptShare = (limitUsd: number, model: string, prices: Prices): number => {
  const { prompt: promptTokens } = usual
  const usd = priceOf(prices, model, {
    promptTokens,
    cachedTokens: 0,
    cacheWrittenTokens: promptTokens,
    completionTokens: 0
  })
  return usd === null || usd === 0 ? 1 : Math.min(1, Math.max(smallestShare, limitUsd / 4 / usd))
}

/** Less shows hardly more than a file. */
const smallestShare = 0.1

/** With one short answer of each agent, in US dollars; null if a price is not known. */
export const leastCost = (agents: ReadonlyArray<ExpectedAgent>, prices: Prices): number | null =>
  sumOfPrices(agents, (agent, isFirst) => leastPrice(prices, agent, isFirst))

/** With the usual number of turns. */
export const usualCost = (agents: ReadonlyArray<ExpectedAgent>, prices: Prices): number | null =>
  sumOfPrices(agents, (agent, isFirst) => usualPrice(prices, agent, isFirst))

/** `isFirst`: of the agents with this model and a shared beginning. */
const sumOfPrices = (
  agents: ReadonlyArray<ExpectedAgent>,
  priceOfAgent: (agent: ExpectedAgent, isFirst: boolean) => number | null
): number | null => {
  const begun = new Set<string>()
  return agents.reduce<number | null>((sum, agent) => {
    const price = priceOfAgent(agent, !begun.has(agent.model))
    if (agent.prefix > 0) begun.add(agent.model)
    return sum === null || price === null ? null : sum + price
  }, 0)
}

/** One short answer; the shared beginning is in the cache after the first agent. */
const leastPrice = (prices: Prices, { model, own, prefix }: ExpectedAgent, isFirst: boolean): number | null =>
  priceOf(prices, model, {
    promptTokens: prefix + own,
    cachedTokens: isFirst ? 0 : prefix,
    completionTokens: usual.leastAnswer
  })

/** What is new in a turn is written to the cache, and read from it in every later turn. */
const usualPrice = (prices: Prices, agent: ExpectedAgent, isFirst: boolean): number | null => {
  const { model, own, prefix, turns } = agent
  let usd: number | null = 0
  let cached = isFirst ? 0 : prefix
  for (let turn = 0; turn < turns; turn++) {
    const all: number = prefix + own + turn * (usual.results + usual.answer)
    const price = priceOf(prices, model, {
      promptTokens: all,
      cachedTokens: cached,
      cacheWrittenTokens: turns === 1 ? 0 : all - cached,
      completionTokens: usual.answer
    })
    usd = usd === null || price === null ? null : usd + price
    cached = all
  }
  return usd
}
