/** The SDK's client for OpenAI and for servers of the same protocols; the SDK is loaded at first use. */
import { Effect, Redacted } from "effect"
import type { Endpoint } from "./http/Endpoint.ts"
import type { HttpModel } from "./http/httpModel.ts"
import { clientDefaults, guardedFetch, privateHeaders, withoutCustomHeaders } from "./http/sdkClient.ts"

const openAiClient = ({ key, baseUrl }: Endpoint) =>
  Effect.gen(function* () {
    const fetch = yield* guardedFetch
    const { OpenAI } = yield* Effect.promise(() => import("openai"))
    return withoutCustomHeaders(
      () =>
        new OpenAI({
          apiKey: key === null ? "none" : Redacted.value(key),
          // Otherwise they are read from the environment, and sent to any configured server.
          adminAPIKey: null,
          organization: null,
          project: null,
          webhookSecret: null,
          baseURL: baseUrl,
          fetch,
          defaultHeaders: key === null ? { ...privateHeaders, authorization: null } : privateHeaders,
          ...clientDefaults
        })
    )
  })

/** The check and the requests of a model, with one client: `path` of the protocol, `body` of a request. */
export const openAiRequests = (
  { endpoint, model }: Pick<HttpModel, "endpoint" | "model">,
  path: string,
  body: (request: Parameters<HttpModel["send"]>[0]) => object
) =>
  Effect.map(
    Effect.cached(openAiClient(endpoint)),
    (client): Pick<HttpModel, "check" | "send"> => ({
      check: Effect.map(
        client,
        (sdk) => (signal) => sdk.get(`/models/${encodeURIComponent(model)}`, { signal }).asResponse()
      ),
      send: (request) =>
        Effect.map(client, (sdk) => (signal) => sdk.post(path, { body: body(request), signal }).asResponse())
    })
  )
