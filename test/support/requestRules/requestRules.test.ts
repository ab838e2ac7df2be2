/** The rules refuse what a provider refuses: each request here is accepted, until one thing is changed in it. */
import { describe, expect, test } from "bun:test"
import { chatFaults } from "./chatRules.ts"
import { type Fields, fields, list } from "./fields.ts"
import { messagesFaults, signatureOf } from "./messagesRules.ts"
import { ollamaFaults } from "./ollamaRules.ts"
import { encryptedOf, responsesFaults } from "./responsesRules.ts"

type Body = Record<string, unknown>
type Change = (body: Body) => void

/** The message or item at a place, to be changed. */
const at = (body: Body, key: string, place: number): Body => list(body[key])[place] as Body
const block = (body: Body, message: number, place: number): Body => at(at(body, "messages", message), "content", place)
const into = (list: unknown): Array<unknown> => list as Array<unknown>

const schema = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false
}
const ask = { role: "user", content: [{ type: "text", text: "Review this." }] }
const tools = [{ name: "read_file", description: "Reads.", input_schema: schema }]
const thinking = { type: "thinking", thinking: "It reads a file." }
const use = { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.py" } }
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "text" }

const messages = (model: string, more: Body): Body => {
  const first = {
    model,
    max_tokens: 4096,
    stream: true,
    system: [{ type: "text", text: "You review." }],
    tools,
    ...more
  }
  const signed = { ...thinking, signature: signatureOf({ ...first, messages: [ask] }, thinking.thinking, 0) }
  return {
    ...first,
    messages: [ask, { role: "assistant", content: [signed, use] }, { role: "user", content: [result] }]
  }
}
const adaptive = messages("claude-opus-5-5", { thinking: { type: "adaptive" }, output_config: { effort: "high" } })
const manual = messages("claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 2048 } })
const given = (body: Body) => [{ content: list(at(body, "messages", 1).content), isPause: false }]

const mark = { cache_control: { type: "ephemeral" } }

const messagesCases: ReadonlyArray<readonly [string, Body, Change, string]> = [
  ["the first message is the model's", adaptive, (body) => into(body.messages).shift(), "first message must use"],
  ["a call is not answered", adaptive, (body) => into(body.messages).pop(), "without `tool_result` blocks"],
  ["a call is answered twice", adaptive, (body) => into(at(body, "messages", 2).content).push(result), "single result"],
  [
    "a result is for another call",
    adaptive,
    (body) => Object.assign(block(body, 2, 0), { tool_use_id: "x" }),
    "unexpected"
  ],
  [
    "text precedes a result",
    adaptive,
    (body) => into(at(body, "messages", 2).content).unshift({ type: "text", text: "Look:" }),
    "must come first"
  ],
  [
    "a call's id is there twice",
    adaptive,
    (body) => into(at(body, "messages", 1).content).push(use),
    "ids must be unique"
  ],
  [
    "thinking is changed",
    adaptive,
    (body) => Object.assign(block(body, 1, 0), { thinking: "No." }),
    "Invalid `signature`"
  ],
  ["a signature is missing", adaptive, (body) => delete block(body, 1, 0).signature, "Invalid `signature`"],
  ["thinking is left out", adaptive, (body) => into(at(body, "messages", 1).content).shift(), "cannot be modified"],
  [
    "thinking is left out",
    manual,
    (body) => into(at(body, "messages", 1).content).shift(),
    "must start with a thinking"
  ],
  [
    "thinking follows a call",
    manual,
    (body) => into(at(body, "messages", 1).content).reverse(),
    "the first block must be `thinking`"
  ],
  [
    "the system prompt changes",
    adaptive,
    (body) => Object.assign(body, { system: "You fix." }),
    "different conversation"
  ],
  [
    "an earlier message changes",
    adaptive,
    (body) => into(at(body, "messages", 0).content).push({ type: "text", text: "Now!" }),
    "different conversation"
  ],
  [
    "the budget is the whole answer",
    manual,
    (body) => Object.assign(body, { max_tokens: 2048 }),
    "`max_tokens` must be"
  ],
  ["the budget is too small", manual, (body) => Object.assign(body.thinking as Body, { budget_tokens: 99 }), "1024"],
  [
    "a new model gets a budget",
    adaptive,
    (body) => Object.assign(body, { thinking: manual.thinking }),
    "not supported"
  ],
  [
    "an old model gets adaptive thinking",
    manual,
    (body) => Object.assign(body, { thinking: adaptive.thinking }),
    "adaptive"
  ],
  [
    "an old model gets an effort",
    messages("claude-sonnet-4", {}),
    (body) => Object.assign(body, { output_config: { effort: "low" } }),
    "effort"
  ],
  ["thinking has a temperature", manual, (body) => Object.assign(body, { temperature: 0 }), "temperature"],
  ["a call is forced", manual, (body) => Object.assign(body, { tool_choice: { type: "any" } }), "forces tool use"],
  ["a call is forced", adaptive, (body) => Object.assign(body, { tool_choice: { type: "any" } }), "forced tool use"],
  [
    "an unknown tool is chosen",
    adaptive,
    (body) => Object.assign(body, { tool_choice: { type: "tool", name: "x" } }),
    "not found"
  ],
  [
    "five blocks are marked",
    adaptive,
    (body) =>
      into(at(body, "messages", 0).content).push(
        ...Array.from({ length: 5 }, () => ({ type: "text", text: "x", ...mark }))
      ),
    "A maximum of 4"
  ],
  ["thinking is marked", adaptive, (body) => Object.assign(block(body, 1, 0), mark), "cannot be set on thinking"],
  [
    "a text is empty",
    adaptive,
    (body) => into(at(body, "messages", 0).content).push({ type: "text", text: " " }),
    "non-whitespace"
  ],
  ["a message is empty", adaptive, (body) => Object.assign(at(body, "messages", 0), { content: [] }), "non-empty"],
  [
    "the last message is the model's",
    adaptive,
    (body) => into(body.messages).push({ role: "assistant", content: [{ type: "text", text: "I " }] }),
    "prefill"
  ],
  [
    "the last message ends with white space",
    manual,
    (body) => into(body.messages).push({ role: "assistant", content: [{ type: "text", text: "I " }] }),
    "trailing whitespace"
  ],
  [
    "a tool's name has a space",
    adaptive,
    (body) => Object.assign(at(body, "tools", 0), { name: "read file" }),
    "does not match"
  ],
  ["a tool is there twice", adaptive, (body) => Object.assign(body, { tools: [...tools, ...tools] }), "unique"],
  [
    "a tool takes a list",
    adaptive,
    (body) => Object.assign(at(body, "tools", 0), { input_schema: { type: "array" } }),
    "'object'"
  ],
  ["the answer is too long", adaptive, (body) => Object.assign(body, { max_tokens: 500_000 }), "maximum allowed"],
  ["the request is too long", manual, (body) => Object.assign(body, { system: "x".repeat(900_000) }), "too long"],
  ["a field is unknown", adaptive, (body) => Object.assign(body, { max_completion_tokens: 1 }), "Extra inputs"],
  [
    "an enforced schema is open",
    adaptive,
    (body) => Object.assign(body, { output_config: { format: { type: "json_schema", schema: { type: "object" } } } }),
    "additionalProperties"
  ]
]

const reasoning = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "It reads." }],
  encrypted_content: encryptedOf("rs_1", "It reads.")
}
const call = {
  id: "fc_1",
  type: "function_call",
  call_id: "call_1",
  name: "read_file",
  arguments: "{}",
  status: "completed"
}
const output = { type: "function_call_output", call_id: "call_1", output: "text" }
const responses: Body = {
  model: "gpt-5.6-sol",
  stream: true,
  store: false,
  max_output_tokens: 4096,
  include: ["reasoning.encrypted_content"],
  reasoning: { effort: "high" },
  tools: [{ type: "function", name: "read_file", parameters: schema, strict: true }],
  tool_choice: "auto",
  input: [{ role: "user", content: [{ type: "input_text", text: "Review." }] }, reasoning, call, output]
}
const without =
  (key: string, place: number): Change =>
  (body) =>
    into(body[key]).splice(place, 1)

const responsesCases: ReadonlyArray<readonly [string, Body, Change, string]> = [
  ["a reasoning item is left out", responses, without("input", 1), "without its required 'reasoning' item"],
  ["what a reasoning item was for is left out", responses, (body) => into(body.input).splice(2, 2), "following item"],
  ["a call is not answered", responses, without("input", 3), "No tool output found"],
  ["an answer has no call", responses, (body) => into(body.input).splice(1, 2), "No tool call found"],
  ["a call is answered twice", responses, (body) => into(body.input).push(output), "Duplicate function call output"],
  ["reasoning is not encrypted", responses, (body) => delete at(body, "input", 1).encrypted_content, "not persisted"],
  [
    "reasoning is changed",
    responses,
    (body) => Object.assign(at(body, "input", 1), { summary: [] }),
    "could not be verified"
  ],
  [
    "an id is of another kind",
    responses,
    (body) => Object.assign(at(body, "input", 2), { id: "call_1" }),
    "begins with 'fc'"
  ],
  ["arguments are cut off", responses, (body) => Object.assign(at(body, "input", 2), { arguments: "{" }), "not JSON"],
  [
    "an unknown tool is chosen",
    responses,
    (body) => Object.assign(body, { tool_choice: { type: "function", name: "x" } }),
    "not found"
  ],
  ["the answer is too short", responses, (body) => Object.assign(body, { max_output_tokens: 15 }), ">= 16"],
  [
    "an effort is unknown",
    responses,
    (body) => Object.assign(body, { reasoning: { effort: "minimal" } }),
    "Unsupported value"
  ],
  [
    "a model without thinking gets an effort",
    responses,
    (body) => Object.assign(body, { model: "gpt-4.1" }),
    "Unsupported parameter"
  ],
  [
    "a strict schema has an optional property",
    responses,
    (body) => Object.assign(fields(at(body, "tools", 0).parameters), { required: [] }),
    "Missing 'path'"
  ],
  [
    "a strict schema is open",
    responses,
    (body) => delete (at(body, "tools", 0).parameters as Body).additionalProperties,
    "additionalProperties"
  ],
  ["a field is unknown", responses, (body) => Object.assign(body, { max_tokens: 1 }), "max_tokens"]
]

const chat: Body = {
  model: "gpt-5",
  stream: true,
  max_completion_tokens: 4096,
  reasoning_effort: "low",
  tools: [{ type: "function", function: { name: "read_file", parameters: schema } }],
  messages: [
    { role: "system", content: "You review." },
    { role: "user", content: "Review." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: "{}" } }]
    },
    { role: "tool", tool_call_id: "c1", content: "text" }
  ]
}

const chatCases: ReadonlyArray<readonly [string, Body, Change, string]> = [
  ["a call is not answered", chat, without("messages", 3), "did not have response messages"],
  [
    "a call is answered twice",
    chat,
    (body) => into(body.messages).push(at(body, "messages", 3)),
    "Duplicate tool message"
  ],
  ["an answer has no call", chat, without("messages", 2), "must be a response to"],
  [
    "a message is between call and answer",
    chat,
    (body) => into(body.messages).splice(3, 0, at(body, "messages", 1)),
    "must be"
  ],
  ["the system message is not the first", chat, (body) => into(body.messages).reverse(), "at the beginning"],
  [
    "a message is empty",
    chat,
    (body) => into(body.messages).push({ role: "assistant", content: null }),
    "needs content"
  ],
  [
    "the old name of the limit",
    chat,
    (body) => Object.assign(body, { max_tokens: 1 }),
    "'max_completion_tokens' instead"
  ],
  [
    "a newer model has tools and thinks",
    chat,
    (body) => Object.assign(body, { model: "gpt-5.6-sol" }),
    "not supported for"
  ],
  [
    "a model that always thinks is not to",
    chat,
    (body) => Object.assign(body, { reasoning_effort: "none" }),
    "Unsupported value"
  ],
  [
    "an id is too long",
    chat,
    (body) => Object.assign(list(at(body, "messages", 2).tool_calls)[0] ?? {}, { id: "c".repeat(41) }),
    "too long"
  ],
  [
    "a local server's field goes to OpenAI",
    chat,
    (body) => Object.assign(body, { chat_template_kwargs: {} }),
    "Extra inputs"
  ]
]

const ollama: Body = {
  model: "qwen3",
  stream: true,
  truncate: false,
  options: { num_ctx: 8192, num_predict: 1000 },
  tools: [{ type: "function", function: { name: "read_file", parameters: schema } }],
  messages: [
    { role: "system", content: "You review." },
    { role: "user", content: "Review." },
    { role: "assistant", content: "", tool_calls: [{ function: { name: "read_file", arguments: { path: "a" } } }] },
    { role: "tool", tool_name: "read_file", content: "text" }
  ]
}

const ollamaCases: ReadonlyArray<readonly [string, Body, Change, string]> = [
  ["a result names no tool", ollama, (body) => delete at(body, "messages", 3).tool_name, "no call of the tool"],
  ["a call is not answered", ollama, without("messages", 3), "without a result"],
  ["a call is answered twice", ollama, (body) => into(body.messages).push(at(body, "messages", 3)), "more results"],
  [
    "arguments are text",
    ollama,
    (body) =>
      Object.assign(at(body, "messages", 2), { tool_calls: [{ function: { name: "read_file", arguments: "{}" } }] }),
    "an object of arguments"
  ],
  ["the context has no size", ollama, (body) => delete (body.options as Body).num_ctx, "num_ctx"],
  [
    "the request is longer than the context",
    ollama,
    (body) => Object.assign(at(body, "messages", 1), { content: "x".repeat(40_000) }),
    "exceeds"
  ],
  ["the level of thinking is unknown", ollama, (body) => Object.assign(body, { think: "xhigh" }), "invalid think value"]
]

const heard = (body: Body) => ({ body, headers: {}, text: JSON.stringify(body) })
const rules = {
  messages: [messagesCases, (body: Body, before: Body) => messagesFaults(heard(body), given(before))],
  responses: [
    responsesCases,
    (body: Body) => responsesFaults(heard(body), [{ content: [reasoning, call], isPause: false }])
  ],
  chat: [chatCases, (body: Body) => chatFaults(heard(body))],
  ollama: [ollamaCases, (body: Body) => ollamaFaults(heard(body))]
} satisfies Record<string, readonly [typeof messagesCases, (body: Body, before: Body) => ReadonlyArray<string>]>

for (const [name, [cases, faultsOf]] of Object.entries(rules)) {
  describe(`a request of ${name} is refused if`, () => {
    for (const [what, body, change, fault] of cases) {
      test(`${what}: ${body.model}`, () => {
        expect(faultsOf(structuredClone(body), body)).toEqual([])
        const broken: Fields = structuredClone(body)
        change(broken as Body)
        expect(faultsOf(broken as Body, body).join("\n")).toContain(fault)
      })
    }
  })
}
