/** The SDK's client for OpenAI and for servers that speak as it does; the SDK is loaded when it is first needed. */
import { Effect, Redacted } from "effect"
import { type Endpoint, noHurry, type Sending } from "./Wire.ts"

/** A client for an endpoint, but for its `fetch`. An endpoint without a key is sent none. */
export const openAiClient = ({ key, baseUrl }: Endpoint) =>
  Effect.map(
    Effect.promise(() => import("openai")),
    ({ OpenAI }) =>
      (fetch: Sending["fetch"]) =>
        new OpenAI({
          apiKey: key === null ? "none" : Redacted.value(key),
          // Else each is read from the environment, and goes to whatever server was configured.
          adminAPIKey: null,
          organization: null,
          project: null,
          webhookSecret: null,
          baseURL: baseUrl,
          fetch,
          ...(key === null ? { defaultHeaders: { authorization: null } } : {}),
          ...noHurry
        })
  )
