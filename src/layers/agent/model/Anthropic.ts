/** Claude through the Messages API, hosted by its vendor, by Amazon (Bedrock) or by Google (Vertex). */
import { Effect, Layer } from "effect"
import { Model } from "../../../services/agent/Model.ts"
import { AnthropicDecoder } from "./AnthropicDecoder.ts"
import { messagesRequest, prefixHash } from "./anthropicRequest.ts"
import { type ClaudeHost, claudeClient } from "./claudeClient.ts"
import { httpModel, type ModelOptions } from "./http/httpModel.ts"

export interface AnthropicOptions extends ModelOptions {
  /** Default: the vendor. */
  readonly host?: ClaudeHost
}

export const anthropicUrl = "https://api.anthropic.com"

export const layer = ({ host = { at: "anthropic" }, ...options }: AnthropicOptions): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.map(Effect.cached(claudeClient(host, options.endpoint)), (client) => {
      const check = Effect.map(
        client,
        (sdk) => (signal: AbortSignal) =>
          sdk.get(`/v1/models/${encodeURIComponent(options.model)}`, { signal }).asResponse()
      )
      return httpModel({
        ...options,
        provider: host.at,
        tools: "native",
        cachesPrefixes: true,
        // The clouds have no such endpoint.
        check: host.at === "anthropic" ? check : null,
        send: (request) =>
          Effect.map(
            client,
            (sdk) => (signal) => sdk.post("/v1/messages", { body: messagesRequest(request), signal }).asResponse()
          ),
        decoder: (context, request) => new AnthropicDecoder(context, prefixHash(request))
      })
    })
  )
