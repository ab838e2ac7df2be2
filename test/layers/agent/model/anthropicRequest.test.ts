import { describe, expect, test } from "bun:test"
import type { ModelMessage, UserMessage } from "../../../../src/domain/agent/ModelTurn.ts"
import type { Effort } from "../../../../src/domain/run/BackendChoice.ts"
import { messagesRequest, prefixHash } from "../../../../src/layers/agent/model/anthropicRequest.ts"
import { claudeTraits } from "../../../../src/layers/agent/model/claudeModel.ts"
import { requestOf } from "../../../support/modelContract.ts"

const told = (text: string, lasting = false): UserMessage => ({
  role: "user",
  parts: [{ _tag: "Text", text, lasting }]
})
const loop: ReadonlyArray<ModelMessage> = [
  {
    role: "user",
    parts: [
      { _tag: "Text", text: "The diff.", lasting: true },
      { _tag: "Text", text: "Your files: a.ts.", lasting: false }
    ]
  },
  {
    role: "model",
    parts: [
      { _tag: "Text", text: "I look." },
      { _tag: "Call", id: "toolu_1", name: "read_file", input: { path: "a.ts" } },
      { _tag: "Call", id: "toolu_2", name: "read_file", input: { path: "b.ts" } }
    ],
    verbatim: {
      anthropic: [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "redacted_thinking", data: "opaque" },
        { type: "text", text: "I look.", citations: null },
        { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.ts" }, caller: { type: "direct" } },
        { type: "tool_use", id: "toolu_2", name: "read_file", input: { path: "b.ts" } }
      ]
    }
  },
  {
    role: "user",
    parts: [
      { _tag: "Result", callId: "toolu_1", output: "1 | let a", isError: false },
      { _tag: "Result", callId: "toolu_2", output: "no such file", isError: true },
      { _tag: "Text", text: "Also look at c.ts.", lasting: false }
    ]
  }
]

/** Where marks stand, as paths. */
const marks = (params: ReturnType<typeof messagesRequest>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, inside] of Object.entries(value)) {
      if (key === "cache_control") found.push(path)
      else walk(inside, path === "" ? key : `${path}.${key}`)
    }
  }
  walk(params, "")
  return found
}

describe("a Messages request", () => {
  test("sends everything in the provider's format", () => {
    expect(
      messagesRequest(requestOf({ messages: loop, effort: "medium", model: "claude-sonnet-4-6" }))
    ).toMatchSnapshot()
  })

  test("is the same bytes for the same request", () => {
    const request = requestOf({ messages: loop })
    expect(JSON.stringify(messagesRequest(request))).toBe(JSON.stringify(messagesRequest(request)))
  })

  test("leaves the request it was given as it was", () => {
    const request = requestOf({ messages: loop })
    const before = JSON.stringify(request)
    messagesRequest(request)
    expect(JSON.stringify(request)).toBe(before)
  })

  test("grows at its end only: what was sent before is sent again as it was", () => {
    const bare = (params: ReturnType<typeof messagesRequest>) =>
      JSON.stringify(params.messages, (key, value) => (key === "cache_control" ? undefined : value)).slice(0, -1)
    const first = messagesRequest(requestOf({ messages: loop.slice(0, 1) }))
    expect(bare(messagesRequest(requestOf({ messages: loop })))).toStartWith(bare(first))
  })

  test("sends another provider's turn as its text", () => {
    const foreign = loop.map((message) =>
      message.role === "model" ? { ...message, verbatim: { responses: [1] } } : message
    )
    expect(messagesRequest(requestOf({ messages: foreign })).messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.ts" } },
        { type: "tool_use", id: "toolu_2", name: "read_file", input: { path: "b.ts" } }
      ]
    })
  })

  test("leaves out text without words, which the provider refuses", () => {
    const params = messagesRequest(
      requestOf({ system: ["", "x"], messages: [told(""), { role: "model", parts: [], verbatim: null }, told("Go.")] })
    )
    expect(params.messages).toHaveLength(1)
    expect(params.system).toHaveLength(1)
  })

  for (const [choice, sent] of [
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    [{ tool: "submit_review" }, { type: "tool", name: "submit_review" }]
  ] as const) {
    test(`sends the tool choice ${JSON.stringify(choice)}`, () => {
      expect(messagesRequest(requestOf({ choice, model: "claude-haiku-4-5" })).tool_choice).toEqual(sent)
    })
  }

  for (const model of ["claude-sonnet-5", "claude-opus-4-6", "claude-mythos-preview", "some-gateway/model"]) {
    test(`names the tool for ${model} in the prompt: a model with its own thinking refuses a forced tool`, () => {
      const choice = { tool: "submit_review" } as const
      const params = messagesRequest(requestOf({ choice, model, messages: loop, effort: "high" }))
      expect(params.tool_choice).toEqual({ type: "auto" })
      expect(params.messages.at(-1)?.content.at(-1)).toEqual({
        type: "text",
        text: "Call submit_review now, with your whole answer. Other calls have no effect any more."
      })
      // What is cached is what later requests begin with.
      expect(marks(params)).toEqual(marks(messagesRequest(requestOf({ model, messages: loop, effort: "high" }))))
    })
  }

  test("sends thinking only after what it was produced for, to a model that checks it", () => {
    const [first, answer, results] = loop
    if (first?.role !== "user" || answer?.role !== "model" || results === undefined) throw new Error("no loop")
    const request = (messages: ReadonlyArray<ModelMessage>, model = "claude-opus-5-5") => requestOf({ messages, model })
    const bound = { ...answer, verbatim: { ...Object(answer.verbatim), prefix: prefixHash(request([first])) } }
    const typesOf = (messages: ReadonlyArray<ModelMessage>, model?: string) =>
      messagesRequest(request(messages, model)).messages.map(({ content }) =>
        typeof content === "string" ? [] : content.map(({ type }) => type)
      )
    const [asked, said, got] = typesOf([first, bound, results])
    expect(said).toEqual(["thinking", "redacted_thinking", "text", "tool_use", "tool_use"])
    const changed = told("Another diff.")
    expect(typesOf([changed, bound, results])).toEqual([["text"], ["text", "tool_use", "tool_use"], got ?? []])
    expect(typesOf([first, answer, results])).toEqual([asked ?? [], ["text", "tool_use", "tool_use"], got ?? []])
    // Thinking after a turn that lost its own is lost, too, unless it was produced for what is sent now.
    const later = { ...bound, verbatim: { ...bound.verbatim, prefix: prefixHash(request([changed, bound, results])) } }
    expect(typesOf([changed, bound, results, later, results])[3]).toEqual(said ?? [])
    expect(typesOf([changed, bound, results], "claude-sonnet-5")[1]).toEqual(said ?? [])
  })

  test("omits tools if there are none", () => {
    const params = messagesRequest(requestOf({ tools: [] }))
    expect(Object.keys(params)).not.toContain("tools")
    expect(Object.keys(params)).not.toContain("tool_choice")
  })
})

describe("the places marked for the cache", () => {
  test("are the end of the conversation, what lasts, the system and the tools, the dearest first", () => {
    expect(marks(messagesRequest(requestOf({ messages: loop })))).toEqual([
      "system.0",
      "system.1",
      "messages.0.content.0",
      "messages.2.content.2"
    ])
    expect(marks(messagesRequest(requestOf({ system: ["One."], messages: [told("x")] })))).toEqual([
      "system.0",
      "tools.0",
      "messages.0.content.0"
    ])
  })

  test("are at most four, and never in the model's own messages", () => {
    const params = messagesRequest(requestOf({ system: ["a", "b", "c"], messages: [...loop, ...loop, ...loop] }))
    expect(marks(params).length).toBeLessThanOrEqual(4)
    expect(JSON.stringify(params.messages.filter(({ role }) => role === "assistant"))).not.toContain("cache_control")
  })

  test("mark the end of the previous request if a turn exceeds the range in which the provider searches", () => {
    const wide = (calls: number): ReadonlyArray<ModelMessage> => [
      told("The task."),
      {
        role: "model",
        parts: Array.from(
          { length: calls },
          (_, at) => ({ _tag: "Call", id: `t${at}`, name: "read_file", input: {} }) as const
        ),
        verbatim: null
      },
      {
        role: "user",
        parts: Array.from(
          { length: calls },
          (_, at) => ({ _tag: "Result", callId: `t${at}`, output: "x", isError: false }) as const
        )
      }
    ]
    expect(marks(messagesRequest(requestOf({ messages: wide(4) })))).not.toContain("messages.0.content.0")
    expect(marks(messagesRequest(requestOf({ messages: wide(12) })))).toContain("messages.0.content.0")
    expect(marks(messagesRequest(requestOf({ messages: wide(12) })))).toContain("messages.2.content.11")
  })
})

describe("thinking", () => {
  const sent = (model: string, effort: Effort | null, change: Parameters<typeof requestOf>[0] = {}) => {
    const { thinking, output_config } = messagesRequest(requestOf({ model, effort, maxTokens: 16_000, ...change }))
    return { thinking, output_config }
  }
  const answer = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
  const format = { type: "json_schema", schema: { ...answer, additionalProperties: false } } as const

  test("is left to the model by default", () => {
    expect(sent("claude-opus-5", null)).toEqual({ thinking: undefined, output_config: undefined })
  })

  test("follows effort where the model adapts, the least for none", () => {
    const adaptive = { type: "adaptive", display: "summarized" } as const
    expect(sent("claude-opus-5", "high")).toEqual({ thinking: adaptive, output_config: { effort: "high" } })
    expect(sent("claude-opus-5", "none")).toEqual({ thinking: undefined, output_config: { effort: "low" } })
    expect(sent("claude-opus-5", "low", { answer })).toEqual({
      thinking: adaptive,
      output_config: { effort: "low", format }
    })
  })

  test("has the nearest effort that the model takes", () => {
    const effortOf = (model: string, effort: Effort) => sent(model, effort).output_config?.effort
    expect(effortOf("claude-sonnet-5", "xhigh")).toBe("xhigh")
    expect(effortOf("claude-opus-5", "max")).toBe("max")
    expect(effortOf("claude-opus-4-6", "xhigh")).toBe("high")
    expect(sent("claude-haiku-4-5", "xhigh", { maxTokens: 64_000 }).thinking).toMatchObject({ budget_tokens: 32_000 })
    expect(sent("claude-haiku-4-5", "high", { maxTokens: 64_000 }).thinking).toMatchObject({ budget_tokens: 24_576 })
    expect(sent("claude-3-5-haiku-latest", "xhigh").thinking).toBeUndefined()
  })

  test("has a budget of at most half the tokens allowed where the model takes a number, and none where a tool must be called", () => {
    expect(sent("claude-haiku-4-5", "medium", { maxTokens: 32_000 })).toEqual({
      thinking: { type: "enabled", budget_tokens: 8192 },
      output_config: undefined
    })
    expect(sent("claude-haiku-4-5", "high").thinking).toMatchObject({ budget_tokens: 8_000 })
    expect(sent("claude-haiku-4-5", "high", { maxTokens: 1500 }).thinking).toBeUndefined()
    expect(sent("claude-haiku-4-5", "high", { choice: { tool: "submit" } }).thinking).toBeUndefined()
    expect(sent("claude-haiku-4-5", "none", { answer })).toEqual({ thinking: undefined, output_config: { format } })
  })

  test("and schemas are not requested from unknown models", () => {
    expect(sent("some-gateway/model", "high", { answer })).toEqual({ thinking: undefined, output_config: undefined })
    expect(sent("claude-opus-5", null, { answer: { type: "object" } })).toEqual({
      thinking: undefined,
      output_config: undefined
    })
  })

  for (const [model, traits] of [
    ["claude-3-5-sonnet-20241022", { thinking: "none", schema: false, forcible: true }],
    ["claude-3-7-sonnet-20250219", { thinking: "budget", schema: false, forcible: true }],
    ["claude-sonnet-4-20250514", { thinking: "budget", schema: false, forcible: true }],
    ["claude-opus-4-1@20250805", { thinking: "budget", schema: false, forcible: true }],
    ["claude-haiku-4-5-20251001", { thinking: "budget", schema: true, forcible: true }],
    ["us.anthropic.claude-opus-4-6-v1", { thinking: "adaptive", schema: true, forcible: false }],
    ["claude-fable-5-2", { thinking: "adaptive", schema: true, forcible: false }],
    ["claude-sonnet-5", { thinking: "adaptive", schema: true, forcible: false }],
    ["claude-mythos-preview", { thinking: "adaptive", schema: false, forcible: false }],
    ["glm-5", { thinking: "none", schema: false, forcible: false }]
  ] as const) {
    test(`of ${model} is ${traits.thinking}`, () => expect(claudeTraits(model)).toMatchObject(traits))
  }
})
