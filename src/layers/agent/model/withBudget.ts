/**
 * A model that begins no turn which could take the run over its limit.
 *
 * What a turn may cost at most is its request, counted generously, and as many tokens of answer as it may have.
 */
import { Effect, Stream } from "effect"
import type { ModelEvent, ModelRequest, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import { priceOf } from "../../../domain/agent/Prices.ts"
import type { Budget } from "../../../services/agent/Budget.ts"
import { type Model, ModelError } from "../../../services/agent/Model.ts"
import type { PriceList } from "../../../services/agent/PriceList.ts"

export const withBudget = (model: Model["Service"], budget: Budget, list: PriceList): Model["Service"] => {
  if (budget.limitUsd === null) return model
  const converse = (request: ModelRequest) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { prices } = yield* list.read
        const name = request.model === "" ? model.model : request.model
        const sent = mostTokens(request)
        const atMost = priceOf(prices, name, {
          promptTokens: sent,
          cachedTokens: 0,
          cacheWrittenTokens: sent,
          completionTokens: request.maxTokens
        })
        yield* budget.reserve(atMost).pipe(
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
        const heard = new Heard()
        // However it ends: a turn that was cut is paid for too.
        yield* Effect.addFinalizer(() => {
          const cost = (usage: ModelUsage) => usage.costUsd ?? priceOf(prices, heard.model ?? name, usage) ?? 0
          const told = heard.told === null ? 0 : Math.max(0, cost(heard.told))
          // Many providers say what a turn took in its last word: without it, it may have taken what it was allowed.
          const atWorst = heard.atLeast === null ? (heard.began ? (atMost ?? 0) : 0) : cost(heard.atLeast)
          return budget.spend(told, Math.max(0, atWorst - told))
        })
        return model.converse(request).pipe(Stream.tap((event) => Effect.sync(() => heard.take(event))))
      })
    )
  return { ...model, converse }
}

/** What is known of a turn while it is under way. */
class Heard {
  began = false
  /** The model that answers. */
  model: string | null = null
  /** What the provider reported. */
  told: ModelUsage | null = null
  #ended = false
  #bytes = 0

  take(event: ModelEvent): void {
    this.began = true
    if (event._tag === "Began" && event.model !== "") this.model = event.model
    if (event._tag === "Used") this.told = event.usage
    if (event._tag === "Ended") this.#ended = true
    if ("text" in event) this.#bytes += Buffer.byteLength(event.text)
  }

  /** Of a turn that was cut off, the received text counts where it is more than the provider had reported. */
  get atLeast(): ModelUsage | null {
    const { told } = this
    if (told === null || this.#ended) return told
    return { ...told, completionTokens: Math.max(told.completionTokens, Math.ceil(this.#bytes / bytesOfToken)) }
  }
}

/** No tokenizer makes more than one of three bytes of text and code, on the whole. */
const bytesOfToken = 3

const mostTokens = ({ messages, system, tools }: ModelRequest): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify([system, tools, messages])) / bytesOfToken)
