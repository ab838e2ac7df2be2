import { describe, expect, test } from "bun:test"
import type { ModelMessage } from "../../../../src/domain/agent/ModelTurn.ts"
import { responsesRequest } from "../../../../src/layers/agent/model/responsesRequest.ts"
import { requestOf } from "../../../support/modelContract.ts"

const items = [
  { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA" },
  {
    id: "fc_1",
    type: "function_call",
    call_id: "call_1",
    name: "read_file",
    arguments: '{"path":"a.ts"}',
    status: "completed"
  }
]
const loop: ReadonlyArray<ModelMessage> = [
  {
    role: "user",
    parts: [
      { _tag: "Text", text: "The diff.", lasting: true },
      { _tag: "Text", text: "", lasting: false }
    ]
  },
  {
    role: "model",
    parts: [{ _tag: "Call", id: "call_1", name: "read_file", input: { path: "a.ts" } }],
    verbatim: { responses: items }
  },
  {
    role: "user",
    parts: [
      { _tag: "Result", callId: "call_1", output: "no such file", isError: true },
      { _tag: "Text", text: "Also c.ts.", lasting: false }
    ]
  }
]

describe("a Responses request", () => {
  test("sends everything in the provider's format", () => {
    expect(responsesRequest(requestOf({ messages: loop, model: "gpt-5", effort: "high" }))).toMatchSnapshot()
  })

  test("stores nothing and sends reasoning back as it came", () => {
    const params = responsesRequest(requestOf({ messages: loop, model: "gpt-5" }))
    expect(params.store).toBe(false)
    expect(params.include).toEqual(["reasoning.encrypted_content"])
    expect(params.input).toEqual(expect.arrayContaining(items))
  })

  test("leaves out reasoning that was cut off before what it was for, which the provider refuses", () => {
    const [reasoning] = items
    const cut = loop.map((message) =>
      message.role === "model" ? { ...message, verbatim: { responses: [...items, reasoning ?? {}] } } : message
    )
    expect(responsesRequest(requestOf({ messages: cut })).input).toEqual(
      responsesRequest(requestOf({ messages: loop })).input
    )
  })

  test("marks what agents share, for models that cache only marked prefixes, and sends one key for a run", () => {
    const marked = (model: string, text = "Your files.") => {
      const first: ModelMessage = {
        role: "user",
        parts: ["The run.", "The diff.", text].map((each) => ({ _tag: "Text", text: each, lasting: each !== text }))
      }
      const { input, prompt_cache_key } = responsesRequest(requestOf({ messages: [first, ...loop.slice(1)], model }))
      return { key: prompt_cache_key, parts: JSON.stringify(input).split(/"prompt_cache_breakpoint"/) }
    }
    const newer = marked("gpt-5.6-sol")
    expect(newer.parts).toHaveLength(2)
    expect(newer.parts[0]).toEndWith('"text":"The diff.",')
    expect(marked("gpt-5.4").parts).toHaveLength(1)
    expect(marked("gpt-5.6-sol", "Other files.").key).toBe(newer.key ?? "")
    expect(responsesRequest(requestOf({ messages: loop })).prompt_cache_key).not.toBe(newer.key)
  })

  test("asks for 16 tokens at least, which is the least that the provider accepts", () => {
    expect(responsesRequest(requestOf({ maxTokens: 1 })).max_output_tokens).toBe(16)
  })

  test("requests no reasoning from a model without it", () => {
    for (const model of ["gpt-4.1", "gpt-4o-mini", "ft:gpt-4o:x", "chatgpt-4o-latest", "gpt-5-chat-latest"]) {
      const params = responsesRequest(requestOf({ model, effort: "high" }))
      expect(params.include).toBeUndefined()
      expect(params.reasoning).toBeUndefined()
    }
  })

  test("sends another provider's turn as its text", () => {
    const foreign = loop.map((message) =>
      message.role === "model" ? { ...message, verbatim: { anthropic: [1] } } : message
    )
    expect(responsesRequest(requestOf({ messages: foreign })).input?.[1]).toEqual({
      type: "function_call",
      call_id: "call_1",
      name: "read_file",
      arguments: '{"path":"a.ts"}'
    })
  })

  test("requests the answer by its schema, strictly if the schema allows it", () => {
    const schema = { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] }
    expect(responsesRequest(requestOf({ answer: schema })).text?.format).toEqual({
      type: "json_schema",
      name: "answer",
      schema: { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false },
      strict: true
    })
    const open = { type: "object", properties: { a: { type: "integer" } } }
    expect(responsesRequest(requestOf({ answer: open })).text?.format).toMatchObject({ schema: open, strict: false })
  })

  test("makes a tool be called, or none", () => {
    expect(responsesRequest(requestOf({ choice: { tool: "submit" } })).tool_choice).toEqual({
      type: "function",
      name: "submit"
    })
    expect(responsesRequest(requestOf({ choice: "none" })).tool_choice).toBe("none")
    expect(Object.keys(responsesRequest(requestOf({ tools: [] })))).not.toContain("tool_choice")
  })
})
