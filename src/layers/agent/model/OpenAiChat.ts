/**
 * Models behind Chat Completions: llama.cpp, LM Studio, vLLM, OpenRouter, and others that speak as they do. Ollama is
 * asked through its own endpoint, for this one cannot say how much the model is to remember.
 *
 * A model that cannot call tools (`tools: "none"`) is asked once, with all it needs in the question, and answers under
 * a schema. The SDK forms requests; it is loaded with the first one, never retries and reads no key but the one given.
 */
import { Effect, Layer } from "effect"
import type { ChatServer } from "../../../domain/run/ReviewSettings.ts"
import { Model } from "../../../services/agent/Model.ts"
import { chatRequest } from "./chatRequest.ts"
import { chatServerAt } from "./chatServer.ts"
import { chatDecoder } from "./chatStream.ts"
import * as Ollama from "./Ollama.ts"
import { openAiClient } from "./openAiClient.ts"
import { checkOver, converseOver, type Endpoint } from "./Wire.ts"

export interface ChatOptions {
  /** As `openai`, `ollama`, `local`: what the user calls it. */
  readonly provider: string
  readonly endpoint: Endpoint
  readonly model: string
  /** Null: as its address tells. */
  readonly server: ChatServer | null
  /** `none` for models too small to call tools, `words` for those that are told in words how to. */
  readonly tools: "native" | "words" | "none"
  readonly contextTokens: number
  readonly fanout: number
}

export const layer = (options: ChatOptions): Layer.Layer<Model> => {
  const server = options.server ?? chatServerAt(options.endpoint.baseUrl)
  return server === "ollama" ? Ollama.layer(options) : chat(options, server)
}

const chat = (options: ChatOptions, server: Exclude<ChatServer, "ollama">): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const { provider, endpoint, model, tools, contextTokens, fanout } = options
      const client = yield* Effect.cached(openAiClient(endpoint))
      return Model.of({
        check: checkOver(
          { provider, endpoint, model },
          Effect.map(
            client,
            (sdk) => (signal) => sdk.get(`/models/${encodeURIComponent(model)}`, { signal }).asResponse()
          )
        ),
        provider,
        model,
        tools,
        contextTokens,
        fanout,
        converse: (asked) => {
          const request = {
            ...asked,
            model: asked.model === "" ? model : asked.model,
            // What it cannot do it is not offered.
            tools: tools === "native" ? asked.tools : []
          }
          return converseOver(
            { provider, endpoint },
            request,
            Effect.map(
              client,
              (sdk) => (signal) =>
                sdk.post("/chat/completions", { body: chatRequest(request, server), signal }).asResponse()
            ),
            chatDecoder
          )
        }
      })
    })
  )
