/**
 * The SDK's client for Claude, wherever it is: at its vendor's, at Amazon's or at Google's. Each SDK is loaded when it
 * is first needed, and its client is told everything, so that nothing is read from the environment but what the clouds
 * themselves keep there.
 */
import type { BaseAnthropic } from "@anthropic-ai/sdk/client"
import { Effect, Redacted } from "effect"
import { type Endpoint, fetchAtHome, noHurry, quietHeaders } from "./Wire.ts"
import { withoutCustomHeaders } from "./withoutCustomHeaders.ts"

export type ClaudePlace =
  | { readonly at: "anthropic" }
  /** By the endpoint's key where it has one, else by the user's AWS credentials. Base URL "": that of the region. */
  | { readonly at: "bedrock"; readonly region: string }
  /** By the user's Google credentials. Base URL "": that of the region. */
  | { readonly at: "vertex"; readonly region: string; readonly project: string }

/** One client for all requests to an endpoint. */
export const claudeClient = (place: ClaudePlace, { key, baseUrl }: Endpoint): Effect.Effect<BaseAnthropic> =>
  Effect.gen(function* () {
    const fetch = yield* fetchAtHome
    const apiKey = key === null ? null : Redacted.value(key)
    const usual = { openTelemetry: false, defaultHeaders: quietHeaders, fetch, ...noHurry } as const
    const address = baseUrl === "" ? {} : { baseURL: baseUrl }
    switch (place.at) {
      case "anthropic": {
        const { Anthropic } = yield* Effect.promise(() => import("@anthropic-ai/sdk"))
        const defaultHeaders = apiKey === null ? { ...quietHeaders, authorization: null } : quietHeaders
        return withoutCustomHeaders(
          () => new Anthropic({ ...usual, apiKey: apiKey ?? "", baseURL: baseUrl, defaultHeaders })
        )
      }
      case "bedrock": {
        const { AnthropicBedrock } = yield* Effect.promise(() => import("@anthropic-ai/bedrock-sdk"))
        const keyed = apiKey === null ? {} : { apiKey }
        return withoutCustomHeaders(
          () => new AnthropicBedrock({ ...usual, ...address, ...keyed, awsRegion: place.region })
        )
      }
      case "vertex": {
        const { AnthropicVertex } = yield* Effect.promise(() => import("@anthropic-ai/vertex-sdk"))
        const { GoogleAuth } = yield* Effect.promise(() => import("google-auth-library"))
        const { region, project: projectId } = place
        // Told the project, it need not look for one: by the network, or by asking a program on the PATH.
        const googleAuth = new GoogleAuth({ projectId, scopes: "https://www.googleapis.com/auth/cloud-platform" })
        const getClient = googleAuth.getClient.bind(googleAuth)
        // The SDK asks for credentials at once and awaits them with the first request: until then a failure would end the process.
        googleAuth.getClient = () => {
          const client = getClient()
          client.catch(() => undefined)
          return client
        }
        return withoutCustomHeaders(() => new AnthropicVertex({ ...usual, ...address, region, projectId, googleAuth }))
      }
    }
  })
