/** One agent's work in the words of each CLI: the lines that the real one prints, in their order and with their fields. */
import type { Schema } from "effect"

export interface Work {
  readonly thinking?: ReadonlyArray<string>
  readonly tools?: ReadonlyArray<{
    readonly name: string
    readonly input: Record<string, Schema.Json>
    readonly output: string
    readonly failed?: boolean
  }>
  /** What it says at last. */
  readonly text: string
  /** Its structured reply, where the CLI has a place for one. */
  readonly reply?: Schema.Json
}

export type CliName = "claude" | "codex" | "pi"

export const cliNames: ReadonlyArray<CliName> = ["claude", "codex", "pi"]

const lines = (values: ReadonlyArray<object>): ReadonlyArray<string> => values.map((value) => JSON.stringify(value))

const claude = ({ reply, text, thinking = [], tools = [] }: Work): ReadonlyArray<string> => {
  const session = "11111111-2222-4333-8444-555555555555"
  const usage = (output: number) => ({
    input_tokens: 3,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    output_tokens: output,
    service_tier: "standard"
  })
  const said = (id: string, block: object, output: number) => ({
    type: "assistant",
    message: {
      model: "claude-test-1",
      id,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: usage(output)
    },
    parent_tool_use_id: null,
    session_id: session,
    uuid: `${id}-${output}`
  })
  return lines([
    {
      type: "system",
      subtype: "init",
      cwd: "/x",
      session_id: session,
      tools: ["Read", "Grep", "Glob"],
      mcp_servers: [],
      model: "claude-test-1",
      permissionMode: "default",
      apiKeySource: "none"
    },
    ...thinking.map((each, i) => said("msg_1", { type: "thinking", thinking: each, signature: "c2ln" }, i + 1)),
    ...tools.flatMap(({ failed = false, input, name, output }, i) => [
      said("msg_1", { type: "tool_use", id: `toolu_${i + 1}`, name, input }, 10 + i),
      {
        type: "user",
        message: {
          role: "user",
          content: [
            {
              tool_use_id: `toolu_${i + 1}`,
              type: "tool_result",
              content: output,
              ...(failed ? { is_error: true } : {})
            }
          ]
        },
        parent_tool_use_id: null,
        session_id: session
      }
    ]),
    said("msg_2", { type: "text", text }, 20),
    ...(reply === undefined
      ? []
      : [
          said("msg_3", { type: "tool_use", id: "toolu_reply", name: "StructuredOutput", input: reply }, 30),
          {
            type: "user",
            message: {
              role: "user",
              content: [
                { tool_use_id: "toolu_reply", type: "tool_result", content: "Structured output provided successfully" }
              ]
            },
            session_id: session
          }
        ]),
    {
      type: "result",
      subtype: "success",
      is_error: false,
      duration_ms: 100,
      duration_api_ms: 90,
      num_turns: 2,
      result: text,
      session_id: session,
      total_cost_usd: 0.0125,
      usage: { ...usage(50), input_tokens: 6, cache_read_input_tokens: 2000 },
      permission_denials: [],
      ...(reply === undefined ? {} : { structured_output: reply })
    }
  ])
}

const codex = ({ reply, text, thinking = [], tools = [] }: Work): ReadonlyArray<string> =>
  lines([
    { type: "thread.started", thread_id: "0199a213-81c0-7800-8aa1-bbab2a035a53" },
    { type: "turn.started" },
    ...thinking.map((each, i) => ({
      type: "item.completed",
      item: { id: `think_${i}`, type: "reasoning", text: each }
    })),
    ...tools.flatMap(({ failed = false, input, output }, i) => {
      const command = `bash -lc '${Object.values(input).join(" ")}'`
      return [
        {
          type: "item.started",
          item: {
            id: `item_${i}`,
            type: "command_execution",
            command,
            aggregated_output: "",
            exit_code: null,
            status: "in_progress"
          }
        },
        {
          type: "item.completed",
          item: {
            id: `item_${i}`,
            type: "command_execution",
            command,
            aggregated_output: output,
            exit_code: failed ? 1 : 0,
            status: failed ? "failed" : "completed"
          }
        }
      ]
    }),
    {
      type: "item.completed",
      item: { id: "item_last", type: "agent_message", text: reply === undefined ? text : JSON.stringify(reply) }
    },
    {
      type: "turn.completed",
      usage: { input_tokens: 24763, cached_input_tokens: 24448, output_tokens: 122, reasoning_output_tokens: 20 }
    }
  ])

const pi = ({ reply, text, thinking = [], tools = [] }: Work): ReadonlyArray<string> => {
  const usage = {
    input: 10,
    output: 5,
    cacheRead: 200,
    cacheWrite: 30,
    totalTokens: 245,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.002 }
  }
  const message = (content: ReadonlyArray<object>, stopReason: string) => ({
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "pi-test-1",
    usage,
    stopReason,
    timestamp: 0
  })
  const first = message(
    [
      ...thinking.map((each) => ({ type: "thinking", thinking: each })),
      ...tools.map(({ input, name }, i) => ({ type: "toolCall", id: `call_${i + 1}`, name, arguments: input }))
    ],
    "toolUse"
  )
  const last = message([{ type: "text", text: reply === undefined ? text : JSON.stringify(reply) }], "stop")
  const isWorking = thinking.length + tools.length > 0
  return lines([
    { type: "session", version: 3, id: "0a0b", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/x" },
    { type: "agent_start" },
    { type: "turn_start" },
    { type: "message_start", message: { role: "user", content: [{ type: "text", text: "…" }] } },
    { type: "message_end", message: { role: "user", content: [{ type: "text", text: "…" }] } },
    ...(isWorking
      ? [
          { type: "message_start", message: { ...first, content: [] } },
          { type: "message_end", message: first },
          ...tools.flatMap(({ failed = false, input, name, output }, i) => [
            { type: "tool_execution_start", toolCallId: `call_${i + 1}`, toolName: name, args: input },
            {
              type: "tool_execution_end",
              toolCallId: `call_${i + 1}`,
              toolName: name,
              result: { content: [{ type: "text", text: output }] },
              isError: failed
            }
          ]),
          { type: "turn_end", message: first, toolResults: [] },
          { type: "turn_start" }
        ]
      : []),
    { type: "message_update", message: last, assistantMessageEvent: { type: "text_delta", delta: text } },
    { type: "message_end", message: last },
    { type: "turn_end", message: last, toolResults: [] },
    { type: "agent_end", messages: [] }
  ])
}

/** The lines of `work`, as the CLI prints them. */
export const linesOf: Readonly<Record<CliName, (work: Work) => ReadonlyArray<string>>> = { claude, codex, pi }

/** The lines of an agent whose request failed. */
export const failureOf = (name: CliName, reason: string): ReadonlyArray<string> => {
  switch (name) {
    case "claude":
      return lines([
        {
          type: "result",
          subtype: "success",
          is_error: true,
          num_turns: 1,
          result: reason,
          session_id: "s",
          total_cost_usd: 0
        }
      ])
    case "codex":
      return lines([
        { type: "thread.started", thread_id: "t" },
        { type: "error", message: "Reconnecting... 1/5" },
        { type: "turn.failed", error: { message: reason } }
      ])
    case "pi":
      return lines([
        { type: "session", version: 3, id: "0a0b" },
        {
          type: "turn_end",
          message: { role: "assistant", content: [], model: "pi-test-1", stopReason: "error", errorMessage: reason },
          toolResults: []
        }
      ])
  }
}

/** What it says of itself. */
export const versionOf: Readonly<Record<CliName, string>> = {
  claude: "2.1.114 (Claude Code)",
  codex: "codex-cli 0.130.0",
  pi: "0.87.0"
}
