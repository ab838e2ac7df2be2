/** The model that the settings describe, or what is missing in them. */
import { Effect, type Layer, Redacted } from "effect"
import type { Answerer } from "../../../domain/run/BackendChoice.ts"
import { keyFault } from "../../../domain/run/ModelKey.ts"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import type { Model } from "../../../services/agent/Model.ts"
import { BackendNotReady } from "../backend/BackendNotReady.ts"
import * as Anthropic from "./Anthropic.ts"
import { claudeHost } from "./claudeHost.ts"
import { defaultTimeouts, type Endpoint } from "./http/Endpoint.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenAiResponses from "./OpenAiResponses.ts"

export interface ModelSettings extends Pick<ReviewSettings, "anthropic" | "openai"> {
  /** A variable of the user's environment, such as `OPENAI_API_KEY`; null if it is not set. */
  readonly variable: (name: string) => string | null
}

const defaultClaude = "claude-sonnet-5"
const defaultGpt = "gpt-5.6-sol"

/** Tokens of a request and its answer together; all current models of the vendors have at least this. */
export const claudeContext = 200_000
const gptContext = 200_000
/** For a local server: less cuts a review short, more does not fit most machines. Source: reference peers §4.3. */
const localContext = 32_768

export const openAiContext = ({ baseUrl, contextTokens }: ModelSettings["openai"]): number =>
  contextTokens.value ?? (baseUrl.value === null ? gptContext : localContext)

export const configuredModel = (
  { backend, model }: Answerer,
  settings: ModelSettings,
  fanout: number
): Effect.Effect<Layer.Layer<Model>, BackendNotReady> =>
  backend === "anthropic" ? claude(model, settings, fanout) : gpt(model, settings, fanout)

const claude = Effect.fnUntraced(function* (model: string | null, settings: ModelSettings, fanout: number) {
  const { baseUrl, keyEnv } = settings.anthropic
  const host = yield* Effect.mapError(
    Effect.fromResult(claudeHost(settings.anthropic, model)),
    (reason) => new BackendNotReady({ backend: "anthropic", reason })
  )
  const key = settings.variable(keyEnv.value)
  // Clouds are reached by the region with the user's own credentials there, unless a key is configured.
  const atCloud: Endpoint = {
    key: keyEnv.origin._tag === "Default" || key === null ? null : Redacted.make(key),
    baseUrl: baseUrl.value ?? "",
    timeouts: defaultTimeouts
  }
  const endpoint = host.at === "anthropic" ? yield* endpointOf("anthropic", settings, Anthropic.anthropicUrl) : atCloud
  return Anthropic.layer({ model: model ?? defaultClaude, contextTokens: claudeContext, fanout, host, endpoint })
})

const gpt = Effect.fnUntraced(function* (model: string | null, settings: ModelSettings, fanout: number) {
  const { api, baseUrl, server, tools } = settings.openai
  const endpoint = yield* endpointOf("openai", settings, OpenAiResponses.openAiUrl)
  if (model === null && baseUrl.value !== null) {
    const reason = `choose a model of ${baseUrl.value}: --model NAME, or openai.model in config.toml`
    return yield* new BackendNotReady({ backend: "openai", reason })
  }
  const options = { model: model ?? defaultGpt, endpoint, fanout, contextTokens: openAiContext(settings.openai) }
  const isChat = (api.value ?? (baseUrl.value === null ? "responses" : "chat")) === "chat"
  return isChat
    ? OpenAiChat.layer({ ...options, provider: "openai", tools: tools.value, server: server.value })
    : OpenAiResponses.layer(options)
})

/** Where requests are sent, and with which key. A local server may need no key. */
const endpointOf = Effect.fnUntraced(function* (
  backend: "anthropic" | "openai",
  settings: ModelSettings,
  defaultUrl: string
) {
  const { baseUrl, keyEnv } = settings[backend]
  const key = settings.variable(keyEnv.value)
  if (key === null && baseUrl.value === null) {
    const reason = `its key is not set; set ${keyEnv.value}, or set ${backend}.key_env in config.toml to the name of another variable`
    return yield* new BackendNotReady({ backend, reason })
  }
  const fault = key === null ? null : keyFault(keyEnv.value, key)
  if (fault !== null) return yield* new BackendNotReady({ backend, reason: fault })
  return {
    key: key === null ? null : Redacted.make(key),
    baseUrl: baseUrl.value ?? defaultUrl,
    timeouts: defaultTimeouts
  } satisfies Endpoint
})
