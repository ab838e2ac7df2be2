/**
 * Models behind Ollama's own chat endpoint, with as much context as they were configured for.
 *
 * No SDK: a request is one JSON body. A model that cannot call tools (`tools: "none"`) is asked once and answers under
 * a schema.
 */
import { Effect, Layer, Redacted } from "effect"
import { Model } from "../../../services/agent/Model.ts"
import { ollamaRequest } from "./ollamaRequest.ts"
import { ollamaDecoder } from "./ollamaStream.ts"
import { checkOver, converseOver, type Endpoint, fetchAtHome } from "./Wire.ts"

export interface OllamaOptions {
  readonly provider: string
  readonly endpoint: Endpoint
  readonly model: string
  readonly tools: "native" | "words" | "none"
  /** Sent with every request: a server that loads a model for less cuts silently. */
  readonly contextTokens: number
  readonly fanout: number
}

export const layer = ({
  provider,
  endpoint,
  model,
  tools,
  contextTokens,
  fanout
}: OllamaOptions): Layer.Layer<Model> => {
  const origin = originOf(endpoint.baseUrl)
  const url = `${origin}/api/chat`
  const headers = {
    "content-type": "application/json",
    "user-agent": "dd",
    ...(endpoint.key === null ? {} : { authorization: `Bearer ${Redacted.value(endpoint.key)}` })
  }
  return Layer.succeed(
    Model,
    Model.of({
      check: checkOver(
        { provider, endpoint, model },
        Effect.map(
          fetchAtHome,
          (fetch) => (signal) =>
            fetch(`${origin}/api/show`, { method: "POST", headers, body: JSON.stringify({ model }), signal })
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
          tools: tools === "native" ? asked.tools : []
        }
        const body = JSON.stringify(ollamaRequest(request, contextTokens))
        return converseOver(
          { provider, endpoint, framing: "lines" },
          request,
          Effect.map(fetchAtHome, (fetch) => (signal) => fetch(url, { method: "POST", headers, body, signal })),
          ollamaDecoder
        )
      }
    })
  )
}

/** Without the path of its OpenAI endpoint, which is what most people have written down. */
const originOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/(?:v1|api)$/, "")
