/**
 * OpenAI's models behind the Responses API.
 *
 * The SDK forms requests and proves who asks; it is loaded with the first one. It never retries, reads no key but the
 * one given and writes nothing. What comes back is heard here.
 */
import { Effect, Layer } from "effect"
import { Model } from "../../../services/agent/Model.ts"
import { openAiClient } from "./openAiClient.ts"
import { responsesRequest } from "./responsesRequest.ts"
import { responsesDecoder } from "./responsesStream.ts"
import { checkOver, converseOver, type Endpoint } from "./Wire.ts"

export interface ResponsesOptions {
  readonly endpoint: Endpoint
  readonly model: string
  readonly contextTokens: number
  readonly fanout: number
}

export const openAiUrl = "https://api.openai.com/v1"

export const layer = ({ endpoint, model, contextTokens, fanout }: ResponsesOptions): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const client = yield* Effect.cached(openAiClient(endpoint))
      return Model.of({
        check: checkOver(
          { provider: "openai", endpoint, model },
          Effect.map(
            client,
            (sdk) => (signal) => sdk.get(`/models/${encodeURIComponent(model)}`, { signal }).asResponse()
          )
        ),
        provider: "openai",
        model,
        tools: "native",
        contextTokens,
        fanout,
        converse: (asked) => {
          const request = asked.model === "" ? { ...asked, model } : asked
          return converseOver(
            { provider: "openai", endpoint },
            request,
            Effect.map(
              client,
              (sdk) => (signal) => sdk.post("/responses", { body: responsesRequest(request), signal }).asResponse()
            ),
            responsesDecoder
          )
        }
      })
    })
  )
