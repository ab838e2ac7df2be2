/** What the lines of each CLI mean, one by one. */
import { describe, expect, test } from "bun:test"
import type { AgentEvent } from "../../../../../src/domain/run/AgentEvent.ts"
import { ClaudeDecoder } from "../../../../../src/layers/agent/backend/cli/ClaudeDecoder.ts"
import { type CliDecoder, textOf } from "../../../../../src/layers/agent/backend/cli/CliDecoder.ts"
import { CodexDecoder, withoutShell } from "../../../../../src/layers/agent/backend/cli/CodexDecoder.ts"
import { cliFault } from "../../../../../src/layers/agent/backend/cli/cliFault.ts"
import { PiDecoder } from "../../../../../src/layers/agent/backend/cli/PiDecoder.ts"
import { cliNames, failureOf, linesOf, type Work } from "../../../../support/cli/protocols.ts"

const at = "2026-01-01T00:00:00.000Z"

const streams = {
  claude: () => new ClaudeDecoder(),
  codex: () => new CodexDecoder("gpt-test"),
  pi: () => new PiDecoder()
}

const tell = (stream: CliDecoder, lines: ReadonlyArray<object | string>) => {
  const events = lines.flatMap((line) => stream.take(typeof line === "string" ? line : JSON.stringify(line), at))
  const end = stream.end(at)
  return {
    events: [...events, ...end.events].map(({ timestamp: _, ...event }) => event),
    outcome: stream.outcome,
    unreadable: end.unreadable,
    unknown: Object.fromEntries(end.unknown)
  }
}

const tags = (events: ReadonlyArray<{ readonly _tag: AgentEvent["_tag"] }>) => events.map(({ _tag }) => _tag)

const assistant = (id: string, content: ReadonlyArray<object>, more: object = {}) => ({
  type: "assistant",
  message: { id, model: "claude-test-1", role: "assistant", content, ...more }
})

const usage = (input: number, output: number, read = 0, written = 0) => ({
  usage: {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written
  }
})

const toolResult = (id: string, content: unknown, isError?: boolean) => ({
  type: "user",
  message: {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: id, content, ...(isError === undefined ? {} : { is_error: isError }) }
    ]
  }
})

describe("claude's stream", () => {
  test("is one turn a message, however many lines it takes, with the cache in its tokens", () => {
    const { events } = tell(new ClaudeDecoder(), [
      { type: "system", subtype: "init" },
      assistant("m1", [{ type: "thinking", thinking: "hm" }], usage(3, 1, 1000, 100)),
      assistant("m1", [{ type: "text", text: "Look: " }], usage(3, 5, 1000, 100)),
      assistant("m1", [{ type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } }], {
        ...usage(3, 9, 1000, 100),
        stop_reason: "tool_use"
      }),
      toolResult("t1", [
        { type: "text", text: "one" },
        { type: "text", text: "two" }
      ]),
      assistant("m2", [{ type: "text", text: "Done." }], usage(4, 2)),
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: "Done.",
        total_cost_usd: 0.5,
        ...usage(7, 11, 1000, 100)
      }
    ])
    expect(events).toEqual([
      { _tag: "Thinking", text: "hm" },
      metrics("m1", 1103, 1, 1000),
      { _tag: "Text", text: "Look: " },
      metrics("m1", 1103, 5, 1000),
      { _tag: "ToolStart", id: "t1", name: "Read", input: { file_path: "a" } },
      metrics("m1", 1103, 9, 1000),
      { _tag: "ToolResult", id: "t1", output: "one\ntwo", isError: false },
      { _tag: "TurnEnd", messageId: "m1", stopReason: "tool_use" },
      { _tag: "Text", text: "Done." },
      metrics("m2", 4, 2, 0, 0),
      { _tag: "TurnEnd", messageId: "m2" },
      {
        _tag: "Cost",
        costUsd: 0.5,
        promptTokens: 1107,
        completionTokens: 11,
        cachedTokens: 1000,
        reasoningTokens: null,
        model: "claude-test-1"
      }
    ] as never)
  })

  const metrics = (
    messageId: string,
    promptTokens: number,
    completionTokens: number,
    cachedTokens: number,
    cacheWrittenTokens = 100
  ) => ({
    _tag: "Metrics",
    costSource: "provisional",
    cacheWrittenTokens,
    messageId,
    promptTokens,
    completionTokens,
    cachedTokens,
    reasoningTokens: null,
    costUsd: null,
    model: "claude-test-1"
  })

  test("hides the call by which it hands in its reply, which is the result", () => {
    const { events, outcome } = tell(new ClaudeDecoder(), [
      assistant("m1", [{ type: "tool_use", id: "t1", name: "StructuredOutput", input: { intent: "x" } }]),
      toolResult("t1", "Structured output provided successfully"),
      { type: "result", subtype: "success", is_error: false, result: "" }
    ])
    expect(tags(events)).toEqual(["TurnEnd"])
    expect(outcome).toEqual({ _tag: "Answered", output: { intent: "x" } })
  })

  test("prefers the structured output to the text, and accepts text that is only the reply", () => {
    const said = assistant("m1", [{ type: "text", text: ' {"intent": "words"}\n' }])
    const done = { type: "result", subtype: "success", is_error: false, result: "…" }
    expect(tell(new ClaudeDecoder(), [said, { ...done, structured_output: { intent: "held" } }]).outcome).toEqual({
      _tag: "Answered",
      output: { intent: "held" }
    })
    expect(tell(new ClaudeDecoder(), [said, done]).outcome).toEqual({ _tag: "Answered", output: { intent: "words" } })
    // A part of what was cut off is no reply.
    const cut = assistant("m1", [{ type: "text", text: '{"issues": [{"intent": "inner"}, {' }], {
      stop_reason: "max_tokens"
    })
    expect(tell(new ClaudeDecoder(), [cut, done]).outcome).toEqual({ _tag: "Answered", output: null })
  })

  test("reports what only its result contains", () => {
    const { events, outcome } = tell(new ClaudeDecoder(), [
      { type: "result", subtype: "success", is_error: false, result: '{"intent":"x"}' }
    ])
    expect(events).toEqual([{ _tag: "Text", text: '{"intent":"x"}' }])
    expect(outcome).toEqual({ _tag: "Answered", output: { intent: "x" } })
  })

  test("distinguishes a limit of turns, an error and an overload", () => {
    const ended = (result: object) => tell(new ClaudeDecoder(), [{ type: "result", ...result }]).outcome
    expect(ended({ subtype: "error_max_turns", is_error: true })).toEqual({
      _tag: "Failed",
      reason: "error_max_turns",
      retryable: false
    })
    expect(ended({ subtype: "success", is_error: true, result: "API Error: 529 overloaded" })).toMatchObject({
      _tag: "Failed",
      retryable: true
    })
    expect(ended({ subtype: "error_during_execution", errors: ["boom"] })).toMatchObject({
      _tag: "Failed",
      reason: "error_during_execution: boom"
    })
    expect(ended({ is_error: true })).toMatchObject({ reason: "claude reported a failure without a reason" })
  })
})

describe("codex's stream", () => {
  const item = (event: "started" | "updated" | "completed", value: object) => ({ type: `item.${event}`, item: value })
  const command = (id: string | undefined, text: string, more: object = {}) => ({
    ...(id === undefined ? {} : { id }),
    type: "command_execution",
    command: text,
    ...more
  })

  test("is a shell call for each command, with the wrapper taken off", () => {
    const { events } = tell(new CodexDecoder(null), [
      { type: "thread.started", thread_id: "t" },
      { type: "turn.started" },
      item("started", command("i1", "bash -lc 'rg -n open'", { status: "in_progress" })),
      item(
        "completed",
        command("i1", "bash -lc 'rg -n open'", { status: "completed", exit_code: 0, aggregated_output: "a:1" })
      ),
      item("started", command("i2", "ls", { status: "in_progress" })),
      item("completed", command("i2", "ls", { status: "failed", exit_code: 2, aggregated_output: "no" })),
      item("started", command("i3", "rm -rf /")),
      item("completed", command("i3", "rm -rf /", { status: "declined" }))
    ])
    expect(events).toEqual([
      { _tag: "ToolStart", id: "i1", name: "shell", input: { command: "rg -n open" } },
      { _tag: "ToolResult", id: "i1", output: "a:1", isError: false },
      { _tag: "ToolStart", id: "i2", name: "shell", input: { command: "ls" } },
      { _tag: "ToolResult", id: "i2", output: "no", isError: true },
      { _tag: "ToolStart", id: "i3", name: "shell", input: { command: "rm -rf /" } },
      { _tag: "ToolResult", id: "i3", output: "the command was declined", isError: true }
    ] as never)
  })

  test("reads complete text, blocks or pieces, and thinking separately", () => {
    const { events, outcome } = tell(new CodexDecoder(null), [
      item("completed", { id: "r", type: "reasoning", text: "hm" }),
      item("updated", { id: "m", type: "agent_message", text: '{"intent"' }),
      item("updated", { id: "m", type: "agent_message", text: ': "x"}' }),
      item("completed", { id: "m", type: "agent_message", text: "" }),
      item("completed", { type: "assistant_message", content: [{ type: "output_text", text: "[1" }, { text: "]" }] }),
      { type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 } }
    ])
    expect(events).toMatchObject([
      { _tag: "Thinking", text: "hm" },
      { _tag: "Text", text: '{"intent": "x"}' },
      { _tag: "TurnEnd", messageId: "m" },
      { _tag: "Text", text: "[1]" },
      { _tag: "TurnEnd", messageId: "" },
      { _tag: "Metrics", promptTokens: 10, completionTokens: 3, cachedTokens: 4, reasoningTokens: null, costUsd: null }
    ])
    expect(outcome).toEqual({ _tag: "Answered", output: [1] })
  })

  test("pairs items without ids by their content, else in their order, and names what never began", () => {
    const { events } = tell(new CodexDecoder(null), [
      item("started", command(undefined, "a")),
      item("started", command(undefined, "b")),
      item("completed", command(undefined, "b", { aggregated_output: "of b" })),
      item("completed", command(undefined, "a2", { aggregated_output: "of a" })),
      item("completed", command(undefined, "c", { aggregated_output: "of c" }))
    ])
    expect(events).toMatchObject([
      { _tag: "ToolStart", id: "codex-1", input: { command: "a" } },
      { _tag: "ToolStart", id: "codex-2", input: { command: "b" } },
      { _tag: "ToolResult", id: "codex-2", output: "of b" },
      { _tag: "ToolResult", id: "codex-1", output: "of a" },
      { _tag: "ToolStart", id: "codex-unmatched-1", input: { command: "c" } },
      { _tag: "ToolResult", id: "codex-unmatched-1", output: "of c" }
    ])
  })

  test("reports patches, servers' tools and their failures", () => {
    const { events } = tell(new CodexDecoder(null), [
      item("completed", {
        id: "p",
        type: "file_change",
        changes: [
          { path: "a.py", kind: "update" },
          { path: "b.py", kind: "add" }
        ],
        status: "failed"
      }),
      item("started", { id: "s", type: "mcp_tool_call", server: "x", tool: "find", arguments: { q: 1 } }),
      item("completed", {
        id: "s",
        type: "mcp_tool_call",
        server: "x",
        tool: "find",
        error: { message: "no such server" },
        status: "failed"
      })
    ])
    expect(events).toMatchObject([
      { _tag: "ToolStart", id: "p", name: "patch", input: { file: "a.py", action: "update" } },
      { _tag: "ToolResult", id: "p", isError: true },
      { _tag: "ToolStart", id: "p-2", name: "patch", input: { file: "b.py", action: "add" } },
      { _tag: "ToolResult", id: "p-2", isError: true },
      { _tag: "ToolStart", id: "s", name: "find", input: { q: 1 } },
      { _tag: "ToolResult", id: "s", output: "no such server", isError: true }
    ])
  })

  test("reports the patches of versions that list files by name", () => {
    const changes = { "a.py": { type: "update" }, "b.py": { type: "add" } }
    const { events } = tell(new CodexDecoder(null), [item("completed", { id: "p", type: "file_change", changes })])
    expect(events).toMatchObject([
      { _tag: "ToolStart", id: "p", input: { file: "a.py", action: "update" } },
      { _tag: "ToolResult", id: "p", output: "update a.py: completed" },
      { _tag: "ToolStart", id: "p-2", input: { file: "b.py", action: "add" } },
      { _tag: "ToolResult", id: "p-2", output: "add b.py: completed" }
    ])
  })

  test("counts a patch without readable files as unreadable", () => {
    const patch = item("completed", { id: "p", type: "file_change", changes: "a.py" })
    expect(tell(new CodexDecoder(null), [patch]).unreadable).toBe(1)
  })

  test("does not fail of a connection it makes again, but of a turn that failed, or of an error with which it ends", () => {
    const again = { type: "error", message: "Reconnecting... 1/5 (stream disconnected)" }
    const done = { type: "turn.completed", usage: {} }
    const said = item("completed", { id: "m", type: "agent_message", text: "{}" })
    expect(tell(new CodexDecoder(null), [again, said, done]).outcome).toEqual({ _tag: "Answered", output: {} })
    expect(tell(new CodexDecoder(null), [again]).outcome).toMatchObject({ _tag: "Failed", retryable: true })
    expect(tell(new CodexDecoder(null), [{ type: "turn.failed", error: { message: "bad key" } }]).outcome).toEqual({
      _tag: "Failed",
      reason: "bad key",
      retryable: false
    })
  })

  test("takes its reply from the end of the turn if it contains none", () => {
    const ended = (more: object) => tell(new CodexDecoder(null), [{ type: "turn.completed", ...more }]).outcome
    expect(ended({ result: { intent: "x" } })).toEqual({ _tag: "Answered", output: { intent: "x" } })
    expect(ended({ output: '{"intent":"y"}' })).toEqual({ _tag: "Answered", output: { intent: "y" } })
    expect(ended({})).toEqual({ _tag: "Answered", output: null })
  })

  test("recognises a shell's wrapper from a command", () => {
    expect(withoutShell(`bash -lc "rg \\"a b\\" \\$x"`)).toBe('rg "a b" $x')
    expect(withoutShell("/bin/zsh -lc 'ls -a'")).toBe("ls -a")
    expect(withoutShell(`sh -c 'echo '\\''x'\\'''`)).toBe("echo 'x'")
    expect(withoutShell("bash script.sh")).toBe("bash script.sh")
    expect(withoutShell("bash -lc ls")).toBe("ls")
    expect(withoutShell("")).toBe("")
  })
})

describe("pi's stream", () => {
  const turn = (more: object) => ({ type: "turn_end", message: { role: "assistant", model: "asked-1", ...more } })

  test("is one turn a message, with all of the input in its tokens and the sums at the end", () => {
    const usage = { input: 10, output: 5, cacheRead: 200, cacheWrite: 30, cost: { total: 0.002 } }
    const { events, outcome } = tell(new PiDecoder(), [
      { type: "session", version: 3, id: "s" },
      { type: "message_end", message: { role: "user", content: "?" } },
      {
        type: "message_end",
        message: { role: "assistant", content: [{ type: "thinking", thinking: "hm" }, { type: "toolCall" }] }
      },
      { type: "tool_execution_start", toolCallId: "c", toolName: "read", args: { path: "a" } },
      {
        type: "tool_execution_end",
        toolCallId: "c",
        result: { content: [{ type: "text", text: "x" }] },
        isError: true
      },
      turn({ usage, stopReason: "toolUse", responseModel: "answered-1", responseId: "r1" }),
      { type: "message_end", message: { role: "assistant", content: [{ type: "text", text: '{"a":1}' }] } },
      turn({ usage, stopReason: "stop" })
    ])
    expect(events).toMatchObject([
      { _tag: "Thinking", text: "hm" },
      { _tag: "ToolStart", id: "c", name: "read", input: { path: "a" } },
      { _tag: "ToolResult", id: "c", output: "x", isError: true },
      {
        _tag: "Metrics",
        messageId: "r1",
        promptTokens: 240,
        completionTokens: 5,
        cachedTokens: 200,
        costUsd: 0.002,
        model: "answered-1"
      },
      { _tag: "TurnEnd", messageId: "r1", stopReason: "toolUse" },
      { _tag: "Text", text: '{"a":1}' },
      { _tag: "Metrics", messageId: "", promptTokens: 240, model: "asked-1" },
      { _tag: "TurnEnd", messageId: "", stopReason: "stop" },
      { _tag: "Cost", promptTokens: 480, completionTokens: 10, cachedTokens: 400, costUsd: 0.004 }
    ])
    expect(outcome).toEqual({ _tag: "Answered", output: { a: 1 } })
  })

  test("has not answered while it works: not after a turn of tools, nor when the next one has begun", () => {
    const said = { type: "message_end", message: { role: "assistant", content: [{ type: "text", text: "{}" }] } }
    expect(tell(new PiDecoder(), [said, turn({ stopReason: "toolUse" })]).outcome).toEqual({ _tag: "Unfinished" })
    const again = tell(new PiDecoder(), [said, turn({ stopReason: "stop" }), { type: "turn_start" }])
    expect(again.outcome).toEqual({ _tag: "Unfinished" })
  })

  test("fails only with its last turn, because the CLI repeats failed ones", () => {
    const failed = turn({ stopReason: "error", errorMessage: "429 rate limited" })
    const said = { type: "message_end", message: { role: "assistant", content: [{ type: "text", text: "{}" }] } }
    expect(tell(new PiDecoder(), [failed]).outcome).toEqual({
      _tag: "Failed",
      reason: "429 rate limited",
      retryable: true
    })
    expect(
      tell(new PiDecoder(), [failed, { type: "auto_retry_start" }, said, turn({ stopReason: "stop" })]).outcome
    ).toEqual({
      _tag: "Answered",
      output: {}
    })
    expect(tell(new PiDecoder(), [turn({ stopReason: "aborted" })]).outcome).toMatchObject({ _tag: "Failed" })
  })
})

describe("every CLI's stream", () => {
  const work: Work = {
    thinking: ["hm"],
    tools: [{ name: "Read", input: { path: "a" }, output: "x" }],
    text: "Done.",
    reply: { intent: "x" }
  }

  for (const name of cliNames) {
    test(`of ${name} is read completely: nothing unknown, nothing unreadable`, () => {
      const { events, outcome, unknown, unreadable } = tell(streams[name](), linesOf[name](work))
      expect({ unknown, unreadable }).toEqual({ unknown: {}, unreadable: 0 })
      expect(outcome).toEqual({ _tag: "Answered", output: { intent: "x" } })
      expect(tags(events)).toContain("ToolResult")
      expect(events.filter(({ _tag }) => _tag === "Result")).toEqual([])
    })

    test(`of ${name} counts unknown and unreadable lines, and ignores what is not JSON`, () => {
      const lines = [
        "A banner",
        "",
        "[1]",
        '{"type":',
        '{"no":"type"}',
        '{"type":"brand.new","x":1}',
        ...linesOf[name](work)
      ]
      const { outcome, unknown, unreadable } = tell(streams[name](), lines)
      expect({ unknown, unreadable }).toEqual({ unknown: { "brand.new": 1 }, unreadable: 2 })
      expect(outcome._tag).toBe("Answered")
    })

    test(`of ${name} is unfinished until the agent has answered, and failed if the agent reports a failure`, () => {
      expect(tell(streams[name](), linesOf[name](work).slice(0, 2)).outcome).toEqual({ _tag: "Unfinished" })
      expect(tell(streams[name](), failureOf(name, "529 overloaded")).outcome).toMatchObject({
        _tag: "Failed",
        retryable: true
      })
    })
  }

  test("keeps the result of an unannounced call, and one result for each call", () => {
    const claude = tell(new ClaudeDecoder(), [
      assistant("m1", [{ type: "tool_use", id: "t1", name: "Read", input: {} }]),
      toolResult("t9", "of nobody"),
      toolResult("t1", "first"),
      toolResult("t1", "second")
    ])
    const ended = (toolCallId: string, result: string) => ({ type: "tool_execution_end", toolCallId, result })
    const pi = tell(new PiDecoder(), [
      { type: "tool_execution_start", toolCallId: "t1", toolName: "read", args: {} },
      ended("t9", "of nobody"),
      ended("t1", "first"),
      ended("t1", "second")
    ])
    for (const { events } of [claude, pi]) {
      expect(events.filter(({ _tag }) => _tag === "ToolResult")).toMatchObject([
        { id: "t9", output: "of nobody" },
        { id: "t1", output: "first" }
      ])
    }
  })

  test("of unlimited kinds is counted in bounded memory", () => {
    const stream = new PiDecoder()
    for (let i = 0; i < 10_000; i++) stream.take(`{"type":"kind-${i}"}`, at)
    const { unknown } = stream.end(at)
    expect(unknown.size).toBeLessThan(30)
    expect([...unknown.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000)
  })

  test("converts results of tools to text, whatever they are", () => {
    expect([textOf("a"), textOf(null), textOf({ a: 1 }), textOf([{ text: "x" }, { image: 1 }])]).toEqual([
      "a",
      "",
      '{"a":1}',
      'x\n{"image":1}'
    ])
  })
})

describe("a process that has ended", () => {
  const answered = { _tag: "Answered", output: {} } as const
  const unfinished = { _tag: "Unfinished" } as const

  test("has answered only when it also ended well", () => {
    expect(cliFault("codex", answered, 0, "")).toBeNull()
    expect(cliFault("codex", answered, 1, "oops\n")).toEqual({
      reason: "codex ended with exit code 1: oops",
      retryable: false
    })
  })

  test("reports its own reason first, then its last errors, then its exit", () => {
    const failed = { _tag: "Failed", reason: "no key", retryable: false } as const
    expect(cliFault("pi", failed, 1, "noise")).toEqual(failed)
    expect(cliFault("pi", unfinished, 0, "a\nb\nc\nd\n")).toEqual({
      reason: "pi ended without an answer: b c d",
      retryable: true
    })
    expect(cliFault("pi", unfinished, 137, "")).toEqual({ reason: "pi ended with exit code 137", retryable: true })
    expect(cliFault("pi", unfinished, 1, "503 service unavailable")?.retryable).toBe(true)
  })
})
