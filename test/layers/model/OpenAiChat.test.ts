import { layer } from "../../../src/layers/model/OpenAiChat.ts"
import type { Endpoint } from "../../../src/layers/model/Wire.ts"
import { key, modelContract } from "../../support/modelContract.ts"
import { type ChatHabits, startOpenAi } from "../../support/openaiServer.ts"

const chat = (endpoint: Endpoint) =>
  layer({
    provider: "openai",
    endpoint,
    model: "its-model",
    server: "other",
    tools: "native",
    contextTokens: 32_000,
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
