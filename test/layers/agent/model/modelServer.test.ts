import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { layer as anthropic } from "../../../../src/layers/agent/model/Anthropic.ts"
import type { Endpoint } from "../../../../src/layers/agent/model/http/Endpoint.ts"
import { layer as ollama } from "../../../../src/layers/agent/model/Ollama.ts"
import { layer as chat } from "../../../../src/layers/agent/model/OpenAiChat.ts"
import { layer as responses } from "../../../../src/layers/agent/model/OpenAiResponses.ts"
import { callsOf, endpointAt, heardOf, requestOf, textOf } from "../../../support/modelContract.ts"

const answer = {
  type: "object",
  properties: { findings: { type: "array", items: { type: "string" } } },
  required: ["findings"]
}
const submit = { name: "submit_review", description: "Hands in.", input: answer }
const layers = {
  anthropic: (endpoint: Endpoint) =>
    anthropic({ endpoint, model: "claude-sonnet-5", room: { contextTokens: 32_768, outputTokens: 4096 }, fanout: 1 }),
  responses: (endpoint: Endpoint) =>
    responses({ endpoint, model: "m", room: { contextTokens: 32_768, outputTokens: 4096 }, fanout: 1 }),
  ollama: (endpoint: Endpoint) =>
    ollama({
      provider: "ollama",
      endpoint,
      model: "m",
      tools: "native",
      room: { contextTokens: 32_768, outputTokens: 4096 },
      fanout: 1
    }),
  chat: (endpoint: Endpoint) =>
    chat({
      provider: "local",
      endpoint,
      model: "m",
      server: null,
      tools: "native",
      room: { contextTokens: 32_768, outputTokens: 4096 },
      fanout: 1
    })
}

/** The server as a program of its own, as tests of the binary start it. */
const serving = async (body: (port: number) => Promise<void>): Promise<void> => {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/../../../support/modelServer.ts`], { stdout: "pipe" })
  try {
    const { value } = await child.stdout.getReader().read()
    await body(Number(new TextDecoder().decode(value)))
  } finally {
    child.kill()
    await child.exited
  }
}

describe("the model server", () => {
  test("prints its port, and hands in the smallest answer that fits in every protocol", () =>
    serving(async (port) => {
      for (const [name, layer] of Object.entries(layers)) {
        const url = `http://127.0.0.1:${port}${name === "anthropic" ? "" : "/v1"}`
        const ask = (change: Parameters<typeof requestOf>[0]) =>
          Effect.runPromise(heardOf(requestOf({ model: "", ...change })).pipe(Effect.provide(layer(endpointAt(url)))))
        const handed = await ask({ tools: [submit] })
        expect(callsOf(handed.events)).toMatchObject([
          { name: "submit_review", arguments: '{"findings":[]}', truncated: false }
        ])
        const told = await ask({ tools: [], answer })
        expect(textOf(told.events, "Text")).toBe('{"findings":[]}')
      }
    }))
})
