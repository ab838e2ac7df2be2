/** OpenAI's models through the Responses API. */
import { Effect, Layer } from "effect"
import { Model } from "../../../services/agent/Model.ts"
import { httpModel, type ModelOptions } from "./http/httpModel.ts"
import { openAiRequests } from "./openAiClient.ts"
import { ResponsesDecoder } from "./ResponsesDecoder.ts"
import { responsesRequest } from "./responsesRequest.ts"

export const openAiUrl = "https://api.openai.com/v1"

export const layer = (options: ModelOptions): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.map(openAiRequests(options, "/responses", responsesRequest), (requests) =>
      httpModel({
        ...options,
        ...requests,
        provider: "openai",
        tools: "native",
        cachesPrefixes: true,
        decoder: (context) => new ResponsesDecoder(context)
      })
    )
  )
