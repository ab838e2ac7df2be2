/** The SDK's client for OpenAI and for servers that speak as it does; the SDK is loaded when it is first needed. */
import { Effect, Redacted } from "effect"
import { type Endpoint, fetchAtHome, noHurry, quietHeaders } from "./Wire.ts"
import { withoutCustomHeaders } from "./withoutCustomHeaders.ts"

/** One client for all requests to an endpoint. An endpoint without a key is sent none. */
export const openAiClient = ({ key, baseUrl }: Endpoint) =>
  Effect.gen(function* () {
    const fetch = yield* fetchAtHome
    const { OpenAI } = yield* Effect.promise(() => import("openai"))
    return withoutCustomHeaders(
      () =>
        new OpenAI({
          apiKey: key === null ? "none" : Redacted.value(key),
          // Else each is read from the environment, and goes to whatever server was configured.
          adminAPIKey: null,
          organization: null,
          project: null,
          webhookSecret: null,
          baseURL: baseUrl,
          fetch,
          defaultHeaders: key === null ? { ...quietHeaders, authorization: null } : quietHeaders,
          ...noHurry
        })
    )
  })
