/**
 * Models through Ollama's own chat endpoint, with the configured context size.
 *
 * No SDK: a request is one JSON body. A model that cannot call tools (`tools: "none"`) gets one request and answers
 * under a schema.
 */
import { Effect, Layer, Redacted } from "effect"
import { Model } from "../../../services/agent/Model.ts"
import { ollamaOrigin } from "./chatServer.ts"
import { type HttpModel, httpModel, type ModelOptions } from "./http/httpModel.ts"
import { guardedFetch } from "./http/sdkClient.ts"
import { OllamaDecoder } from "./OllamaDecoder.ts"
import { ollamaRequest } from "./ollamaRequest.ts"

/** `provider`: `openai`, `ollama`, `local`, as in the user's settings. */
export interface OllamaOptions extends ModelOptions, Pick<HttpModel, "provider" | "tools"> {}

export const layer = (options: OllamaOptions): Layer.Layer<Model> => {
  const { endpoint, model, room } = options
  const origin = ollamaOrigin(endpoint.baseUrl)
  const headers = {
    "content-type": "application/json",
    "user-agent": "dd",
    ...(endpoint.key === null ? {} : { authorization: `Bearer ${Redacted.value(endpoint.key)}` })
  }
  const post = (path: string, body: object) =>
    Effect.map(
      guardedFetch,
      (fetch) => (signal: AbortSignal) =>
        fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body), signal })
    )
  return Layer.succeed(
    Model,
    httpModel({
      ...options,
      framing: "lines",
      check: post("/api/show", { model }),
      // The context size is sent with every request: a server that loads a model with less truncates silently.
      send: (request) => post("/api/chat", ollamaRequest(request, room.contextTokens)),
      decoder: (context) => new OllamaDecoder(context)
    })
  )
}
