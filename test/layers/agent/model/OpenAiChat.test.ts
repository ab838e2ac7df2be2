import { describe, expect } from "bun:test"
import { Effect } from "effect"
import type { Endpoint } from "../../../../src/layers/agent/model/http/Endpoint.ts"
import { layer } from "../../../../src/layers/agent/model/OpenAiChat.ts"
import { it } from "../../../support/effect.ts"
import { endpointAt, heardOf, key, modelContract, requestOf, textOf } from "../../../support/modelContract.ts"
import { startOllama } from "../../../support/ollamaServer.ts"
import { type ChatHabits, startOpenAi } from "../../../support/openaiServer.ts"

const chat = (endpoint: Endpoint) =>
  layer({
    provider: "openai",
    endpoint,
    model: "its-model",
    server: "other",
    tools: "native",
    room: { contextTokens: 32_000, outputTokens: 32_000 },
    fanout: 1
  })

const world = (habits: ChatHabits = {}) => ({
  start: (script: Parameters<typeof startOpenAi>[0]) => startOpenAi(script, habits),
  baseUrl: (origin: string) => `${origin}/v1`,
  layer: chat,
  keyHeader: ["authorization", `Bearer ${key}`] as const,
  ends: ["refusal", "filtered"] as const
})

modelContract("OpenAiChat", world())
modelContract("OpenAiChat with thinking in its text", world({ thinkingIn: "content" }))

describe("OpenAiChat", () => {
  it.live("asks Ollama through its own endpoint, with the context it was configured for", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startOllama(() => ({ text: "Fine." }))),
        (held) => Effect.promise(() => held.close())
      )
      const options = {
        provider: "openai",
        model: "qwen3",
        tools: "native",
        room: { contextTokens: 32_768, outputTokens: 32_768 },
        fanout: 1
      } as const
      const { events } = yield* heardOf(requestOf()).pipe(
        Effect.provide(layer({ ...options, endpoint: endpointAt(`${server.url}/v1`), server: "ollama" }))
      )
      expect(textOf(events, "Text")).toBe("Fine.")
      expect(server.heard[0]).toMatchObject({ path: "/api/chat", body: { options: { num_ctx: 32_768 } } })
    })
  )

  it.live("offers no tools to a model that cannot call them, and requests its one answer by a schema", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startOpenAi(() => ({ text: '{"items":[]}' }))),
        (held) => Effect.promise(() => held.close())
      )
      const small = {
        provider: "openai",
        model: "small",
        tools: "none",
        room: { contextTokens: 16_384, outputTokens: 16_384 },
        fanout: 1
      } as const
      yield* heardOf(requestOf({ answer: { type: "array", items: { type: "string" } } })).pipe(
        Effect.provide(layer({ ...small, endpoint: endpointAt(`${server.url}/v1`), server: "llama.cpp" }))
      )
      const body = server.heard[0]?.body
      expect(body).not.toHaveProperty("tools")
      expect(body).toMatchObject({
        response_format: { type: "json_schema", json_schema: { schema: { type: "object", required: ["items"] } } },
        chat_template_kwargs: { enable_thinking: false }
      })
    })
  )

  it.live("sends no key to a server that has none", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startOpenAi(() => ({ text: "x" }))),
        (held) => Effect.promise(() => held.close())
      )
      yield* heardOf(requestOf()).pipe(Effect.provide(chat({ ...endpointAt(`${server.url}/v1`), key: null })))
      expect(server.heard[0]?.headers.authorization).toBeUndefined()
    })
  )
})
