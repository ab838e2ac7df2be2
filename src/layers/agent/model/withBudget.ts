/**
 * Prevents a model from starting a turn that could exceed the run's limit.
 *
 * The price of a turn is that of its request, estimated high, and of its answer. At least an answer of usual length is
 * reserved, and the request limits the answer, with its thinking, to what was reserved.
 */
import { Effect, Stream } from "effect"
import type { ModelEvent, ModelRequest, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import { priceOf } from "../../../domain/agent/Prices.ts"
import type { Budget } from "../../../services/agent/Budget.ts"
import { type Model, ModelError } from "../../../services/agent/Model.ts"
import type { PriceList } from "../../../services/agent/PriceList.ts"

/** Tokens of an answer with its thinking. With more, $0.20 would buy no turn of the vendors' largest models. */
const usualAnswer = 4_000

export const withBudget = (
  model: Model["Service"],
  budget: Budget,
  list: PriceList,
  usual = usualAnswer
): Model["Service"] => {
  if (budget.limit === null) return model
  /** The agent's next turn may cost all of its request anew; its answer after that finds most of it in the cache. */
  const mustAnswer = Effect.as(budget.join, (next: ModelRequest) =>
    Effect.map(list.read, ({ prices }) => {
      const name = next.model === "" ? model.model : next.model
      const sent = mostTokens(next)
      const completionTokens = Math.min(usual, next.maxTokens)
      const turn = priceOf(prices, name, { ...wholeRequest(sent), completionTokens })
      const answer = priceOf(prices, name, { ...wholeRequest(sent), cachedTokens: sent, completionTokens })
      return turn !== null && answer !== null && !budget.leavesAnswers(turn, answer)
    })
  )
  const converse = (request: ModelRequest) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { prices } = yield* list.read
        const name = request.model === "" ? model.model : request.model
        const sent = mostTokens(request)
        const priceWith = (completionTokens: number) =>
          priceOf(prices, name, { ...wholeRequest(sent), completionTokens })
        const shortest = Math.min(usual, request.maxTokens)
        const [least, most] = [priceWith(shortest), priceWith(request.maxTokens)]
        const atMost = yield* budget.reserve(least === null || most === null ? null : { least, most }).pipe(
          Effect.mapError(
            ({ message }) =>
              new ModelError({
                provider: model.provider,
                model: name,
                kind: "over-budget",
                status: null,
                retryAfterMillis: null,
                detail: message
              })
          )
        )
        const turn = new TurnUsage()
        // Also if it was cut off, because the turn still costs money.
        yield* Effect.addFinalizer(() => {
          // A gateway may have its own name for the model.
          const cost = (usage: ModelUsage) =>
            usage.costUsd ?? priceOf(prices, turn.model ?? name, usage) ?? priceOf(prices, name, usage) ?? 0
          const reported = turn.reported === null ? 0 : Math.max(0, cost(turn.reported))
          // Many providers send the usage last: without it, the turn may have cost its maximum.
          const atWorst = turn.atLeast === null ? (turn.began ? atMost : 0) : cost(turn.atLeast)
          return budget.spend(reported, Math.max(0, atWorst - reported))
        })
        const [low, high] = [least ?? 0, most ?? 0]
        // The price of an answer is in proportion to its length.
        const share = high > low ? Math.min(1, (atMost - low) / (high - low)) : 1
        const maxTokens = shortest + Math.floor((request.maxTokens - shortest) * share)
        return model
          .converse({ ...request, maxTokens })
          .pipe(Stream.tap((event) => Effect.sync(() => turn.take(event))))
      })
    )
  return { ...model, converse, mustAnswer }
}

const wholeRequest = (sent: number) => ({ promptTokens: sent, cachedTokens: 0, cacheWrittenTokens: sent })

/** What is known about a running turn. */
class TurnUsage {
  began = false
  model: string | null = null
  reported: ModelUsage | null = null
  #ended = false
  #bytes = 0

  take(event: ModelEvent): void {
    this.began = true
    if (event._tag === "Began" && event.model !== "") this.model = event.model
    if (event._tag === "Used") this.reported = event.usage
    if (event._tag === "Ended") this.#ended = true
    if ("text" in event) this.#bytes += Buffer.byteLength(event.text)
  }

  /** For a turn that was cut off, the received text counts if it is more than the provider had reported. */
  get atLeast(): ModelUsage | null {
    const { reported } = this
    if (reported === null || this.#ended) return reported
    return { ...reported, completionTokens: Math.max(reported.completionTokens, Math.ceil(this.#bytes / bytesOfToken)) }
  }
}

/** No tokenizer makes more than one token of three bytes of text and code, on average. */
const bytesOfToken = 3

const mostTokens = ({ messages, system, tools }: ModelRequest): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify([system, tools, messages])) / bytesOfToken)
