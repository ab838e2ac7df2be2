/**
 * The SDK's client for each of Claude's hosts. An SDK is loaded at first use, and its client gets every setting, so
 * that it reads nothing from the environment except the credentials of a cloud.
 */
import type { BaseAnthropic } from "@anthropic-ai/sdk/client"
import { Effect, Redacted } from "effect"
import type { Endpoint } from "./http/Endpoint.ts"
import { clientDefaults, guardedFetch, privateHeaders, withoutCustomHeaders } from "./http/sdkClient.ts"

export type ClaudeHost =
  | { readonly at: "anthropic" }
  /** With the endpoint's key if it has one, else the user's AWS credentials. Base URL "": that of the region. */
  | { readonly at: "bedrock"; readonly region: string }
  /** With the user's Google credentials. Base URL "": that of the region. */
  | { readonly at: "vertex"; readonly region: string; readonly project: string }

/** One client for all requests to an endpoint. */
export const claudeClient = (host: ClaudeHost, { key, baseUrl }: Endpoint): Effect.Effect<BaseAnthropic> =>
  Effect.gen(function* () {
    const fetch = yield* guardedFetch
    const apiKey = key === null ? null : Redacted.value(key)
    const shared = { openTelemetry: false, defaultHeaders: privateHeaders, fetch, ...clientDefaults } as const
    const address = baseUrl === "" ? {} : { baseURL: baseUrl }
    switch (host.at) {
      case "anthropic": {
        const { Anthropic } = yield* Effect.promise(() => import("@anthropic-ai/sdk"))
        const defaultHeaders = apiKey === null ? { ...privateHeaders, authorization: null } : privateHeaders
        return withoutCustomHeaders(
          () => new Anthropic({ ...shared, apiKey: apiKey ?? "", baseURL: baseUrl, defaultHeaders })
        )
      }
      case "bedrock": {
        const { AnthropicBedrock } = yield* Effect.promise(() => import("@anthropic-ai/bedrock-sdk"))
        const keyed = apiKey === null ? {} : { apiKey }
        return withoutCustomHeaders(
          () => new AnthropicBedrock({ ...shared, ...address, ...keyed, awsRegion: host.region })
        )
      }
      case "vertex": {
        const { AnthropicVertex } = yield* Effect.promise(() => import("@anthropic-ai/vertex-sdk"))
        const { GoogleAuth } = yield* Effect.promise(() => import("google-auth-library"))
        const { region, project: projectId } = host
        // With the project, it does not search for one on the network or by running a program on PATH.
        const googleAuth = new GoogleAuth({ projectId, scopes: "https://www.googleapis.com/auth/cloud-platform" })
        const getClient = googleAuth.getClient.bind(googleAuth)
        // The SDK requests credentials immediately and awaits them with the first request: a failure in between would
        // end the process.
        googleAuth.getClient = () => {
          const client = getClient()
          client.catch(() => undefined)
          return client
        }
        return withoutCustomHeaders(() => new AnthropicVertex({ ...shared, ...address, region, projectId, googleAuth }))
      }
    }
  })
