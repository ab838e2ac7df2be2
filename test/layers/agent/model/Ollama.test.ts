import { describe, expect, test } from "bun:test"
import { layer } from "../../../../src/layers/agent/model/Ollama.ts"
import { OllamaDecoder } from "../../../../src/layers/agent/model/OllamaDecoder.ts"
import { ollamaRequest } from "../../../../src/layers/agent/model/ollamaRequest.ts"
import { context, decode } from "../../../support/decoding.ts"
import { key, modelContract, requestOf } from "../../../support/modelContract.ts"
import { startOllama } from "../../../support/ollamaServer.ts"

modelContract("Ollama", {
  start: startOllama,
  baseUrl: (origin) => `${origin}/v1`,
  layer: (endpoint) =>
    layer({
      provider: "ollama",
      endpoint,
      model: "its-model",
      tools: "native",
      room: { contextTokens: 32_768, outputTokens: 32_768 },
      fanout: 1
    }),
  keyHeader: ["authorization", `Bearer ${key}`],
  ends: [],
  tells: { cached: false, reasoning: false, cutCalls: false, callIds: false }
})

describe("a request to Ollama", () => {
  test("sends everything, and the size of the context", () => {
    const body = ollamaRequest(
      requestOf({
        messages: [
          { role: "user", parts: [{ _tag: "Text", text: "The diff.", lasting: true }] },
          {
            role: "model",
            parts: [{ _tag: "Call", id: "call_x", name: "read_file", input: { path: "a" } }],
            verbatim: null
          },
          { role: "user", parts: [{ _tag: "Result", callId: "call_x", output: "no such file", isError: true }] }
        ]
      }),
      32_768
    )
    expect(body).toMatchSnapshot()
    expect(body.options).toEqual({ num_ctx: 32_768, num_predict: 4096 })
    expect(body.truncate).toBe(false)
  })

  test("sends only the tool that must be called, and none if none may be called", () => {
    const two = [
      { name: "a", description: "", input: {} },
      { name: "b", description: "", input: {} }
    ]
    expect(ollamaRequest(requestOf({ tools: two, choice: { tool: "b" } }), 1).tools).toHaveLength(1)
    expect(ollamaRequest(requestOf({ tools: two, choice: "none" }), 1).tools).toBeUndefined()
  })

  test("has thinking off under a schema, or where it is switched off", () => {
    const answer = { type: "array", items: { type: "string" } }
    expect(ollamaRequest(requestOf({ answer, effort: "high" }), 1)).toMatchObject({
      think: false,
      format: { type: "object", properties: { items: answer } }
    })
    expect(ollamaRequest(requestOf({ effort: "none" }), 1)).toMatchObject({ think: false })
    expect(ollamaRequest(requestOf({ effort: "high" }), 1)).not.toHaveProperty("think")
    expect(ollamaRequest(requestOf({ effort: "high", model: "gpt-oss:20b" }), 1)).toMatchObject({ think: "high" })
  })
})

describe("a stream of Ollama's", () => {
  test("fails with the message of the server", () => {
    expect(decode(new OllamaDecoder(context), [{ error: "model runner has unexpectedly stopped" }]).fault).toEqual({
      kind: "provider-fault",
      status: null,
      detail: "model runner has unexpectedly stopped"
    })
  })

  test("recognises calls of a turn by different ids", () => {
    const { said } = decode(new OllamaDecoder(context), [
      {
        message: {
          tool_calls: [{ function: { name: "a", arguments: {} } }, { function: { name: "b", arguments: { x: 1 } } }]
        }
      },
      { message: { content: "" }, done: true, done_reason: "stop" }
    ])
    expect(said.flatMap((event) => (event._tag === "CallEnded" ? [[event.id, event.arguments]] : []))).toEqual([
      ["call_00c0ffee_0", "{}"],
      ["call_00c0ffee_1", '{"x":1}']
    ])
  })
})
