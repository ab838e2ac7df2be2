/**
 * A model that begins no turn which could take the run over its limit.
 *
 * What a turn may cost at most is its request, counted generously, and as many tokens of answer as it may have.
 */
import { Effect, Stream } from "effect"
import type { ModelRequest, ModelUsage } from "../../domain/ModelTurn.ts"
import { priceOf } from "../../domain/Prices.ts"
import type { Budget } from "../../services/Budget.ts"
import { type Model, ModelError } from "../../services/Model.ts"
import type { PriceList } from "../../services/PriceList.ts"

export const withBudget = (model: Model["Service"], budget: Budget, list: PriceList): Model["Service"] => {
  if (budget.limitUsd === null) return model
  const converse = (request: ModelRequest) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { prices } = yield* list.read
        const name = request.model === "" ? model.model : request.model
        const atMost = priceOf(prices, name, {
          promptTokens: mostTokens(request),
          cachedTokens: 0,
          completionTokens: request.maxTokens
        })
        yield* budget.hold(atMost).pipe(
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
        let used: ModelUsage | null = null
        // However it ends: a turn that was cut is paid for too.
        yield* Effect.addFinalizer(() =>
          budget.spend(used === null ? 0 : (used.costUsd ?? priceOf(prices, name, used) ?? 0))
        )
        return model.converse(request).pipe(
          Stream.tap((event) =>
            Effect.sync(() => {
              if (event._tag === "Used") used = event.usage
            })
          )
        )
      })
    )
  return { ...model, converse }
}

/** No tokenizer makes more than one of three bytes of text and code, on the whole. */
const mostTokens = ({ messages, system, tools }: ModelRequest): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify([system, tools, messages])) / 3)
