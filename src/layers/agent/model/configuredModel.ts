/** The model that the settings describe, or what is missing in them. */
import { Effect, type Layer, Redacted } from "effect"
import { type OwnRooms, roomOf } from "../../../domain/agent/modelRooms.ts"
import type { ModelRoom } from "../../../domain/pack/ModelRoom.ts"
import type { Answerer } from "../../../domain/run/BackendChoice.ts"
import { keyFault } from "../../../domain/run/ModelKey.ts"
import type { ChatServer, ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import type { Model } from "../../../services/agent/Model.ts"
import { PriceList } from "../../../services/agent/PriceList.ts"
import { BackendNotReady } from "../backend/BackendNotReady.ts"
import * as Anthropic from "./Anthropic.ts"
import { chatServerAt } from "./chatServer.ts"
import { claudeHost } from "./claudeHost.ts"
import { defaultTimeouts, type Endpoint } from "./http/Endpoint.ts"
import type { ModelOptions } from "./http/httpModel.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenAiResponses from "./OpenAiResponses.ts"

export interface ModelSettings extends Pick<ReviewSettings, "anthropic" | "openai"> {
  /** A variable of the user's environment, such as `OPENAI_API_KEY`; null if it is not set. */
  readonly variable: (name: string) => string | null
}

export const defaultModels = { anthropic: "claude-sonnet-5", openai: "gpt-5.6-sol" }

/** Servers that reserve memory for the whole context when they load a model. */
const reserving: ReadonlySet<ChatServer> = new Set(["ollama", "llama.cpp", "lm-studio"])
/** Less cuts a review short, more does not fit most machines. */
const reservedContext = 32_768

/** Decided by the model, whatever its address. */
export const configuredRoom = (
  { backend, model }: Pick<Answerer, "backend" | "model">,
  { openai: { baseUrl, contextTokens, server } }: Pick<ModelSettings, "openai">,
  own: OwnRooms
): ModelRoom => {
  if (backend === "anthropic") return roomOf(own, model ?? defaultModels.anthropic)
  const kind = server.value ?? (baseUrl.value === null ? "openai" : chatServerAt(baseUrl.value))
  const room = roomOf(own, model ?? defaultModels.openai, reserving.has(kind) ? reservedContext : undefined)
  const set = contextTokens.value
  return set === null ? room : { contextTokens: set, outputTokens: Math.min(room.outputTokens, set) }
}

export const configuredModel = Effect.fnUntraced(function* (
  answerer: Answerer,
  settings: ModelSettings,
  fanout: number
): Effect.fn.Return<Layer.Layer<Model>, BackendNotReady> {
  const { prices } = yield* (yield* PriceList).read
  const options = { room: configuredRoom(answerer, settings, prices.rooms), fanout }
  return yield* answerer.backend === "anthropic"
    ? claude(answerer.model, settings, options)
    : gpt(answerer.model, settings, options)
})

type Options = Pick<ModelOptions, "fanout" | "room">

const claude = Effect.fnUntraced(function* (model: string | null, settings: ModelSettings, options: Options) {
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
  return Anthropic.layer({ ...options, model: model ?? defaultModels.anthropic, host, endpoint })
})

const gpt = Effect.fnUntraced(function* (model: string | null, settings: ModelSettings, given: Options) {
  const { api, baseUrl, server, tools } = settings.openai
  const endpoint = yield* endpointOf("openai", settings, OpenAiResponses.openAiUrl)
  if (model === null && baseUrl.value !== null) {
    const reason = `choose a model of ${baseUrl.value}: --model NAME, or openai.model in config.toml`
    return yield* new BackendNotReady({ backend: "openai", reason })
  }
  const options = { ...given, model: model ?? defaultModels.openai, endpoint }
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
