/** A run of dd becomes the events that an assistant's session has. */
import { describe, expect, test } from "bun:test"
import { hookEvent } from "../../../src/domain/dream/hookPayload.ts"
import { runPayloads } from "../../../src/domain/dream/runPayloads.ts"
import { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { digest } from "../../../src/layers/dream/spoolPlace.ts"

const timestamp = "2026-11-24T10:00:00Z"
const started = RunEvent.make({
  _tag: "RunStarted",
  sessionId: "s",
  flow: "fix",
  backend: "openai",
  model: "m",
  description: "the last commit on main",
  files: 1,
  agentsPlanned: 1
})
const agent = (event: Extract<RunEvent, { readonly _tag: "Agent" }>["event"]) =>
  RunEvent.make({ _tag: "Agent", call: 3, event })
const start = (id: string, name: string, input: Readonly<Record<string, string>>) =>
  agent({ _tag: "ToolStart", timestamp, id, name, input })
const result = (id: string, output: string, isError = false) =>
  agent({ _tag: "ToolResult", timestamp, id, output, isError })
const tests = (outcome: string, exitCode: number | null, output = "") =>
  RunEvent.make({
    _tag: "TestsEnded",
    step: "test",
    when: "after the fixes",
    command: "bun test",
    outcome,
    exitCode,
    durationMs: 40,
    reason: "",
    output
  })
const ended = RunEvent.make({ _tag: "RunEnded", status: "complete", findings: 0 })

const eventsOf = (events: ReadonlyArray<RunEvent>) => {
  const payloads = runPayloads("s", "/code/shop")
  return events.flatMap(payloads).map((payload, at) =>
    hookEvent("dd", payload, {
      id: `e${at}`,
      at,
      project: "shop",
      root: "/code/shop",
      main: "/code/shop",
      branch: "main",
      head: () => null,
      redact: plainRedaction.text,
      digest
    })
  )
}

describe("a run of dd", () => {
  test("has its goal, the calls of its agents, its tests and its end", () => {
    expect(
      eventsOf([
        started,
        start("a", "edit_file", { path: "src/cart.ts" }),
        result("a", "edited"),
        start("b", "grep", { pattern: "total", path: "src" }),
        result("b", "no such folder", true),
        tests("failed", 1, "TypeError: total is not a function"),
        tests("passed", 0),
        RunEvent.make({ _tag: "AgentEnded", call: 3, outcome: "ok" }),
        ended
      ])
    ).toMatchObject([
      { kind: "session_start", host: "dd", reason: "fix" },
      { kind: "prompt", text: { start: "the last commit on main" } },
      { kind: "tool_pre", action: "edit", files: ["src/cart.ts"], agent: "agent 3" },
      { kind: "tool_ok", action: "edit", files: ["src/cart.ts"] },
      { kind: "tool_pre", action: "search" },
      { kind: "tool_fail", action: "search", error: "no such folder" },
      { kind: "tool_pre", action: "run", command: "bun test" },
      { kind: "tool_fail", exit: 1, error: "Exit code 1\nTypeError: total is not a function", ms: 40 },
      { kind: "tool_pre", command: "bun test" },
      { kind: "tool_ok", command: "bun test" },
      { kind: "subagent_stop", agent: "agent 3" },
      { kind: "stop" },
      { kind: "session_end", reason: "complete" }
    ])
  })

  test("without calls and tests leaves nothing, and tests that did not run are no call", () => {
    expect(eventsOf([started, tests("not-run", null), result("x", "unknown"), ended])).toEqual([])
  })
})
