/**
 * Claude behind the Messages API.
 *
 * The SDK forms requests and proves who asks; it is loaded with the first one. It never retries, reads no key but the
 * one given and writes nothing. What comes back is heard here.
 */
import { Effect, Layer, Redacted } from "effect"
import { Model } from "../../services/Model.ts"
import { messagesRequest } from "./anthropicRequest.ts"
import { messagesDecoder } from "./anthropicStream.ts"
import { converseOver, type Endpoint, noHurry } from "./Wire.ts"

export interface AnthropicOptions {
  readonly endpoint: Endpoint
  readonly model: string
  readonly contextTokens: number
  readonly fanout: number
}

export const anthropicUrl = "https://api.anthropic.com"

export const layer = ({ endpoint, model, contextTokens, fanout }: AnthropicOptions): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const sdk = yield* Effect.cached(Effect.promise(() => import("@anthropic-ai/sdk")))
      return Model.of({
        provider: "anthropic",
        model,
        tools: "native",
        contextTokens,
        fanout,
        converse: (asked) => {
          const request = asked.model === "" ? { ...asked, model } : asked
          return converseOver(
            { provider: "anthropic", endpoint },
            request,
            Effect.map(
              sdk,
              ({ Anthropic }) =>
                ({ fetch, signal }) =>
                  new Anthropic({
                    apiKey: endpoint.key === null ? "" : Redacted.value(endpoint.key),
                    baseURL: endpoint.baseUrl,
                    fetch,
                    openTelemetry: false,
                    ...(endpoint.key === null ? { defaultHeaders: { authorization: null } } : {}),
                    ...noHurry
                  })
                    .post("/v1/messages", { body: messagesRequest(request), signal })
                    .asResponse()
            ),
            messagesDecoder
          )
        }
      })
    })
  )
