/**
 * Models through Chat Completions: llama.cpp, LM Studio, vLLM, OpenRouter, and others with this protocol. Ollama is
 * used through its own endpoint, because this one cannot set the context size.
 *
 * A model that cannot call tools (`tools: "none"`) gets one request with everything in the prompt, and answers under a
 * schema.
 */
import { Effect, Layer } from "effect"
import type { ChatServer } from "../../../domain/run/ReviewSettings.ts"
import { Model } from "../../../services/agent/Model.ts"
import { ChatDecoder } from "./ChatDecoder.ts"
import { chatRequest, serverOf } from "./chatRequest.ts"
import { chatServerAt } from "./chatServer.ts"
import { httpModel } from "./http/httpModel.ts"
import * as Ollama from "./Ollama.ts"
import { openAiRequests } from "./openAiClient.ts"

export interface ChatOptions extends Ollama.OllamaOptions {
  /** Null: determined by its address. */
  readonly server: ChatServer | null
}

export const layer = ({ server: chosen, ...options }: ChatOptions): Layer.Layer<Model> => {
  const server = chosen ?? chatServerAt(options.endpoint.baseUrl)
  if (server === "ollama") return Ollama.layer(options)
  const requests = openAiRequests(options, "/chat/completions", (request) => chatRequest(request, server))
  return Layer.effect(
    Model,
    Effect.map(requests, (requests) =>
      httpModel({
        ...options,
        ...requests,
        // A local server costs nothing, and other services differ.
        cachesPrefixes: ["openai", "openrouter"].includes(serverOf(server, options.model)),
        decoder: (context) => new ChatDecoder(context)
      })
    )
  )
}
