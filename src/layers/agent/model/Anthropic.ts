/**
 * Claude behind the Messages API, at its vendor's, at Amazon's (Bedrock) or at Google's (Vertex).
 *
 * The SDK forms requests and proves who asks; it is loaded with the first one. It never retries, reads no key of the
 * vendor's but the one given and writes nothing. What comes back is heard here.
 */
import { Effect, Layer } from "effect"
import { Model } from "../../../services/agent/Model.ts"
import { messagesRequest } from "./anthropicRequest.ts"
import { messagesDecoder } from "./anthropicStream.ts"
import { type ClaudePlace, claudeClient } from "./claudeClient.ts"
import { checkOver, converseOver, type Endpoint } from "./Wire.ts"

export interface AnthropicOptions {
  /** Default: the vendor's own. */
  readonly place?: ClaudePlace
  readonly endpoint: Endpoint
  readonly model: string
  readonly contextTokens: number
  readonly fanout: number
}

export const anthropicUrl = "https://api.anthropic.com"

export const layer = (options: AnthropicOptions): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const { place = { at: "anthropic" }, endpoint, model, contextTokens, fanout } = options
      const client = yield* Effect.cached(claudeClient(place, endpoint))
      // The clouds have no endpoint for it.
      const check =
        place.at === "anthropic"
          ? {
              check: checkOver(
                { provider: place.at, endpoint, model },
                Effect.map(
                  client,
                  (sdk) => (signal) => sdk.get(`/v1/models/${encodeURIComponent(model)}`, { signal }).asResponse()
                )
              )
            }
          : {}
      return Model.of({
        ...check,
        provider: place.at,
        model,
        tools: "native",
        contextTokens,
        fanout,
        converse: (asked) => {
          const request = asked.model === "" ? { ...asked, model } : asked
          return converseOver(
            { provider: place.at, endpoint },
            request,
            Effect.map(
              client,
              (sdk) => (signal) => sdk.post("/v1/messages", { body: messagesRequest(request), signal }).asResponse()
            ),
            messagesDecoder
          )
        }
      })
    })
  )
