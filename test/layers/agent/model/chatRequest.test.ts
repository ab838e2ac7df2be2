import { describe, expect, test } from "bun:test"
import type { ModelMessage } from "../../../../src/domain/agent/ModelTurn.ts"
import { chatServers } from "../../../../src/domain/run/ReviewSettings.ts"
import { chatRequest } from "../../../../src/layers/agent/model/chatRequest.ts"
import { chatServerAt } from "../../../../src/layers/agent/model/chatServer.ts"
import { ollamaRequest } from "../../../../src/layers/agent/model/ollamaRequest.ts"
import { requestOf } from "../../../support/modelContract.ts"

const loop: ReadonlyArray<ModelMessage> = [
  {
    role: "user",
    parts: [
      { _tag: "Text", text: "The diff.", lasting: true },
      { _tag: "Text", text: "Your files.", lasting: false }
    ]
  },
  {
    role: "model",
    parts: [
      { _tag: "Text", text: "I look." },
      { _tag: "Call", id: "call_1", name: "read_file", input: { path: "a.ts" } },
      { _tag: "Call", id: "call_2", name: "read_file", input: { path: "b.ts" } }
    ],
    verbatim: null
  },
  {
    role: "user",
    parts: [
      { _tag: "Result", callId: "call_1", output: "1 | let a", isError: false },
      { _tag: "Result", callId: "call_2", output: "no such file", isError: true },
      { _tag: "Text", text: "Also c.ts.", lasting: false }
    ]
  }
]
const list = { type: "array", items: { type: "string" } }

describe("a Chat Completions request", () => {
  test("sends everything in the protocol's format", () => {
    expect(chatRequest(requestOf({ messages: loop }), "other")).toMatchSnapshot()
  })

  test("joins messages of the user that follow each other, because many chat templates require alternating roles", () => {
    const messages = ["The pack.", "The question."].map((text) => ({
      role: "user" as const,
      parts: [{ _tag: "Text" as const, text, lasting: false }]
    }))
    const users = (sent: { readonly messages: ReadonlyArray<object> }) =>
      sent.messages.filter((message) => "role" in message && message.role === "user")
    const joined = [{ role: "user", content: "The pack.\n\nThe question." }]
    expect<unknown>(users(chatRequest(requestOf({ messages }), "other"))).toEqual(joined)
    expect<unknown>(users(ollamaRequest(requestOf({ messages }), 8_000))).toEqual(joined)
  })

  test("marks what agents share, for models of OpenAI that cache only marked prefixes", () => {
    const sent = (model: string, server: "openai" | "other" | "openrouter") =>
      chatRequest(requestOf({ messages: loop, model }), server).messages.find(({ role }) => role === "user")?.content
    const marked = [
      { type: "text", text: "The diff.", prompt_cache_breakpoint: { mode: "explicit" } },
      { type: "text", text: "Your files." }
    ]
    expect<unknown>(sent("gpt-5.6-sol", "openai")).toEqual(marked)
    expect<unknown>(sent("gpt-5.6-sol", "other")).toEqual(marked)
    for (const unmarked of [
      sent("gpt-5.4", "openai"),
      sent("qwen3-coder", "other"),
      sent("openai/gpt-5.6-sol", "openrouter")
    ])
      expect(unmarked).toBe("The diff.\n\nYour files.")
  })

  for (const server of chatServers) {
    if (server === "ollama") continue
    test(`sends an answer schema in the format of ${server}`, () => {
      const {
        messages: _,
        tools: __,
        ...rest
      } = chatRequest(
        requestOf({ answer: list, effort: "high", model: server === "openai" ? "gpt-5" : "test-model" }),
        server
      )
      expect(rest).toMatchSnapshot()
    })
  }

  const two = ["read_file", "submit"].map((name) => ({ name, description: "", input: { type: "object" } }))
  const named = { type: "function", function: { name: "submit" } } as const
  for (const [server, offered, choice] of [
    ["openai", ["read_file", "submit"], named],
    ["vllm", ["read_file", "submit"], named],
    ["lm-studio", ["submit"], "required"],
    ["llama.cpp", ["submit"], "required"],
    ["openrouter", ["submit"], "auto"],
    ["other", ["submit"], "auto"]
  ] as const) {
    test(`forces one tool in a way that ${server} accepts`, () => {
      const params = chatRequest(requestOf({ tools: two, choice: { tool: "submit" } }), server)
      expect(params.tools?.map((tool) => (tool.type === "function" ? tool.function.name : ""))).toEqual([...offered])
      expect(params.tool_choice).toEqual(choice)
      expect(chatRequest(requestOf({ tools: two, choice: "none" }), server).tool_choice).toBe("none")
    })
  }

  test("requests a list as an object that contains one", () => {
    const { response_format } = chatRequest(requestOf({ answer: list }), "other")
    expect(response_format).toEqual({
      type: "json_schema",
      json_schema: {
        name: "answer",
        strict: true,
        schema: { type: "object", properties: { items: list }, required: ["items"], additionalProperties: false }
      }
    })
  })

  test("has the configured thinking if it answers in text", () => {
    expect(chatRequest(requestOf({ effort: "low" }), "openrouter")).toMatchObject({ reasoning: { effort: "low" } })
    expect(chatRequest(requestOf({ effort: "low", model: "gpt-5" }), "openai")).toMatchObject({
      reasoning_effort: "low"
    })
    expect(chatRequest(requestOf({ effort: "none" }), "vllm")).toMatchObject({
      chat_template_kwargs: { enable_thinking: false }
    })
    expect(Object.keys(chatRequest(requestOf({ effort: null }), "openrouter"))).not.toContain("reasoning")
    expect(Object.keys(chatRequest(requestOf({ effort: "low" }), "other"))).not.toContain("reasoning_effort")
  })

  test("recognises a server by its address", () => {
    const at = (url: string) => chatServerAt(url)
    expect(at("https://api.openai.com/v1")).toBe("openai")
    expect(at("https://openrouter.ai/api/v1")).toBe("openrouter")
    expect(at("http://localhost:11434/v1")).toBe("ollama")
    expect(at("http://127.0.0.1:1234/v1")).toBe("lm-studio")
    expect(at("http://localhost:8080/v1")).toBe("other")
    expect(at("https://openrouter.ai.evil.example/v1")).toBe("other")
    expect(at("no address")).toBe("other")
  })
})
